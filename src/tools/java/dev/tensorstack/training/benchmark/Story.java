package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What happens to a job, and how it must end, whatever happens to the operator meanwhile. */
enum Story {
  PLAIN(new Plot(4, "Never", "", List.of(), false), new Ending("Succeeded", "", 0, 0, 0, 4)),
  REPLACED(
      new Plot(4, "OnFailure", scope("Replica"), List.of(SwiftKubelet.End.FAILURE), false),
      new Ending("Succeeded", "", 1, 0, 0, 5)),
  NEW_ATTEMPT(
      new Plot(3, "OnFailure", scope("Job"), List.of(SwiftKubelet.End.FAILURE), false),
      new Ending("Succeeded", "", 1, 0, 1, 6)),
  EVICTED(
      new Plot(3, "OnFailure", scope("Replica"), List.of(SwiftKubelet.End.EVICTION), false),
      new Ending("Succeeded", "", 0, 1, 0, 4)),
  DELETED(
      new Plot(3, "OnFailure", scope("Replica"), List.of(), true),
      new Ending("Succeeded", "", 0, 1, 0, 4)),
  TERMINAL(
      new Plot(3, "Never", "", List.of(SwiftKubelet.End.FAILURE), false),
      new Ending("Failed", "ReplicaFailed", 0, 0, 0, 3)),
  EXHAUSTED(
      new Plot(
          2,
          "OnFailure",
          "\"runPolicy\":{\"restartScope\":\"Replica\",\"backoffLimit\":1},",
          List.of(SwiftKubelet.End.FAILURE, SwiftKubelet.End.FAILURE),
          false),
      new Ending("Failed", "BackoffLimitExceeded", 1, 0, 0, 3));

  private final Plot plot;
  private final Ending ending;

  /**
   * What the node and a user do.
   *
   * @param pods how many
   * @param restartPolicy of the type
   * @param options of the spec
   * @param ends how worker 1 ends, each time that all pods run; afterwards all end well
   * @param deletion whether a user deletes worker 1 when all pods run for the first time
   */
  record Plot(
      int pods,
      String restartPolicy,
      String options,
      List<SwiftKubelet.End> ends,
      boolean deletion) {}

  /**
   * How it must end.
   *
   * @param reason of the condition Failed; empty when the job succeeds
   * @param pods how many pods were ever created
   */
  record Ending(
      String phase, String reason, int backoffCount, int disruptionCount, int attempt, int pods) {}

  Story(Plot plot, Ending ending) {
    this.plot = plot;
    this.ending = ending;
  }

  private static String scope(String scope) {
    return "\"runPolicy\":{\"restartScope\":\"" + scope + "\"},";
  }

  Plot plot() {
    return plot;
  }

  /** The manifest of a job of this story. */
  String manifest(String name) {
    return JobResource.PYTORCH_TRAINING_JOB.manifest(
        name, plot.pods(), plot.restartPolicy(), plot.options());
  }

  /** What is wrong with a job that should have ended this way; empty when nothing is. */
  List<String> wrong(JobLife job, List<PodLife> pods) {
    List<String> wrong = new ArrayList<>();
    compare(wrong, "phase", ending.phase(), job.phase());
    compare(wrong, "backoffCount", ending.backoffCount(), job.status.path("backoffCount").asInt());
    compare(
        wrong,
        "disruptionCount",
        ending.disruptionCount(),
        job.status.path("disruptionCount").asInt());
    compare(wrong, "attempt", ending.attempt(), job.status.path("attempt").asInt());
    compare(
        wrong,
        "restartCount",
        ending.backoffCount() + ending.disruptionCount(),
        job.status.path("tasks").path(0).path("restartCount").asInt());
    compare(wrong, "reason of Failed", ending.reason(), reasonOfFailed(job));
    compare(wrong, "pods ever created", ending.pods(), pods.size());
    compare(
        wrong,
        "names of pods",
        pods.size(),
        (int) pods.stream().map(pod -> pod.name).distinct().count());
    compare(wrong, "pods left running", 0, (int) pods.stream().filter(PodLife::live).count());
    return wrong;
  }

  /** Empty while the job has not failed. */
  private static String reasonOfFailed(JobLife job) {
    for (JsonNode condition : job.status.path("conditions")) {
      if (condition.path("type").asText().equals("Failed")
          && condition.path("status").asText().equals("True")) {
        return condition.path("reason").asText();
      }
    }
    return "";
  }

  private static void compare(List<String> wrong, String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      wrong.add(what + " is " + found + ", not " + expected);
    }
  }
}
