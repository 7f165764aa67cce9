package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.Map;

/**
 * How jobs went through their queues.
 *
 * @param gangs how many jobs
 * @param violations what must not be and was: a job out of its turn, one with some of its pods
 *     only, more in use than the quota; empty when all was well
 * @param requests the operator's requests, whole life, by verb and resource, refused ones with
 *     their code
 * @param kueueRequests the same of Kueue
 * @param mostInUse by cohort, the most accelerators that pods used at the same moment
 * @param mostWaiting the most jobs that waited at the same moment
 * @param seconds by what is told, in the order of a table: times, and the operator's CPU
 * @param cuts how often the API server has cut one of the watches off
 * @param idleMiB the operator's resident memory before the first job
 * @param peakMiB the most resident memory that the operator ever had
 */
public record QueueOutcome(
    int gangs,
    List<String> violations,
    Map<String, Integer> requests,
    Map<String, Integer> kueueRequests,
    List<Integer> mostInUse,
    int mostWaiting,
    Map<String, Double> seconds,
    int cuts,
    double idleMiB,
    double peakMiB) {

  /** How many of a kind of request the operator made, for example {@code create pods}. */
  public int requests(String kind) {
    return requests.getOrDefault(kind, 0);
  }

  /** The operator's requests for each job without the creations of pods. */
  double requestsPerJob() {
    int all = requests.values().stream().mapToInt(Integer::intValue).sum();
    return (double) (all - requests("create pods")) / gangs;
  }
}
