package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.List;

/**
 * What happens to a job of one of the kinds, and how it must end, whatever happens to the operator
 * meanwhile.
 */
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
      new Ending("Failed", "BackoffLimitExceeded", 1, 0, 0, 3)),
  KUBEFLOW_PLAIN(
      kubeflow(3, "Never", "", List.of(), false), new Ending("Succeeded", "", 0, 0, 0, 3)),
  KUBEFLOW_REPLACED(
      kubeflow(4, "ExitCode", "", List.of(SwiftKubelet.End.KILLED), false),
      new Ending("Succeeded", "", 1, 0, 0, 5)),
  KUBEFLOW_NEW_ATTEMPT(
      kubeflow(3, "ExitCode", Story.ALL_ANEW, List.of(SwiftKubelet.End.KILLED), false),
      new Ending("Succeeded", "", 1, 0, 1, 6)),
  KUBEFLOW_EVICTED(
      kubeflow(3, "OnFailure", "", List.of(SwiftKubelet.End.EVICTION), false),
      new Ending("Succeeded", "", 0, 1, 0, 4)),
  KUBEFLOW_DELETED(
      kubeflow(3, "ExitCode", "", List.of(), true), new Ending("Succeeded", "", 0, 1, 0, 4)),
  KUBEFLOW_TERMINAL(
      kubeflow(3, "ExitCode", "", List.of(SwiftKubelet.End.FAILURE), false),
      new Ending("Failed", "ReplicaFailed", 0, 0, 0, 3)),
  KUBEFLOW_EXHAUSTED(
      kubeflow(
          3,
          "ExitCode",
          ",\"backoffLimit\":1",
          List.of(SwiftKubelet.End.KILLED, SwiftKubelet.End.KILLED),
          false),
      new Ending("Failed", "BackoffLimitExceeded", 1, 0, 0, 4));

  /** The option of a PyTorchJob all of whose pods start anew when one fails. */
  static final String ALL_ANEW = "restart-scope: Job";

  private final Plot plot;
  private final Ending ending;

  /**
   * What the node and a user do.
   *
   * @param kind the kind of the job
   * @param pods how many
   * @param restartPolicy of the type
   * @param options of the spec
   * @param ends how worker 1 ends, each time that all pods run; afterwards all end well
   * @param deletion whether a user deletes worker 1 when all pods run for the first time
   */
  record Plot(
      StoryKind kind,
      int pods,
      String restartPolicy,
      String options,
      List<SwiftKubelet.End> ends,
      boolean deletion) {

    /** Of the operator's own kind. */
    Plot(
        int pods,
        String restartPolicy,
        String options,
        List<SwiftKubelet.End> ends,
        boolean deletion) {
      this(StoryKind.TRAINING_JOB, pods, restartPolicy, options, ends, deletion);
    }
  }

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

  private static Plot kubeflow(
      int pods,
      String restartPolicy,
      String options,
      List<SwiftKubelet.End> ends,
      boolean deletion) {
    return new Plot(StoryKind.PYTORCH_JOB, pods, restartPolicy, options, ends, deletion);
  }

  private static String scope(String scope) {
    return "\"runPolicy\":{\"restartScope\":\"" + scope + "\"},";
  }

  Plot plot() {
    return plot;
  }

  /** The manifest of a job of this story. */
  String manifest(String name) {
    return plot.kind().manifest(name, plot);
  }

  /** What is wrong with a job that should have ended this way; empty when nothing is. */
  List<String> wrong(JobLife job, List<PodLife> pods) {
    List<String> wrong = new ArrayList<>();
    compare(wrong, "phase", ending.phase(), job.phase());
    StoryKind kind = plot.kind();
    compare(wrong, "backoffCount", ending.backoffCount(), kind.backoff(job.status));
    compare(wrong, "disruptionCount", ending.disruptionCount(), kind.disruptions(job.status));
    compare(wrong, "attempt", ending.attempt(), kind.attempt(job.status));
    compare(
        wrong,
        "restartCount",
        ending.backoffCount() + ending.disruptionCount(),
        kind.restarts(job.status));
    compare(wrong, "reason of Failed", ending.reason(), kind.reasonOfFailed(job.status));
    compare(wrong, "pods ever created", ending.pods(), pods.size());
    compare(
        wrong,
        "names of pods",
        kind.reusesPodNames() ? plot.pods() : pods.size(),
        (int) pods.stream().map(pod -> pod.name).distinct().count());
    compare(wrong, "pods left running", 0, (int) pods.stream().filter(PodLife::live).count());
    return wrong;
  }

  private static void compare(List<String> wrong, String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      wrong.add(what + " is " + found + ", not " + expected);
    }
  }
}
