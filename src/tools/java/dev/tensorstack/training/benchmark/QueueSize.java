package dev.tensorstack.training.benchmark;

import java.time.Duration;

/**
 * How big a cluster with queues is, and what comes into them.
 *
 * <p>All accelerators of the nodes are quota: half of them for each of two cohorts, in which two
 * ClusterQueues share them equally and borrow from each other. A pod takes a whole node.
 *
 * @param nodes how many nodes there are
 * @param gpusPerNode accelerators of each node, and of each pod
 * @param gangs how many jobs come
 * @param podsPerGang pods of each job
 * @param runs for how long all pods of a job run before they end
 * @param pace the time between one job for each queue and the next; zero: all come at once
 */
public record QueueSize(
    int nodes, int gpusPerNode, int gangs, int podsPerGang, Duration runs, Duration pace) {

  /** How many cohorts there are. */
  static final int COHORTS = 2;

  /** How many ClusterQueues each cohort has. */
  static final int QUEUES_PER_COHORT = 2;

  /** The accelerators that the pods of a cohort may use at the same time. */
  int quotaOfCohort() {
    return quotaOfQueue() * QUEUES_PER_COHORT;
  }

  /** The accelerators that a ClusterQueue has before it borrows. */
  int quotaOfQueue() {
    return nodes * gpusPerNode / (COHORTS * QUEUES_PER_COHORT);
  }

  /** How many jobs have room at the same time. */
  int gangsAtOnce() {
    return COHORTS * (quotaOfCohort() / (podsPerGang * gpusPerNode));
  }

  /** The queue of a job: they take turns. */
  static String queueOf(int gang) {
    int queue = gang % (COHORTS * QUEUES_PER_COHORT);
    return "queue-" + cohortOf(queue) + "-" + queue / COHORTS;
  }

  /** The cohort of a job or a queue by its number. */
  static int cohortOf(int number) {
    return number % COHORTS;
  }

  /** The same with another number of jobs. */
  QueueSize gangs(int number) {
    return new QueueSize(nodes, gpusPerNode, number, podsPerGang, runs, pace);
  }
}
