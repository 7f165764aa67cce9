package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;

/** What happens next by itself, and what a user can do about it. */
final class Advice {

  private Advice() {}

  /**
   * What a reason asks for.
   *
   * @param reason the reason of a job that goes on
   * @param job the job
   * @return a sentence; empty where nothing is to be said
   */
  static String of(String reason, Job job) {
    return switch (reason) {
      case "Unschedulable" ->
          "The scheduler tries again by itself whenever something changes: free or add nodes, or ask"
              + " for less";
      case "ImagePullFailed" ->
          "The kubelet goes on trying, at most five minutes apart: correct the registry or the pull"
              + " secret, or create the job again with the right image";
      case "QuotaExceeded" ->
          "The operator goes on trying: raise the quota, or end something else in namespace "
              + job.namespace();
      case "PodRejected" -> "It is tried again until the cluster allows it";
      case "WaitingForQueue" ->
          "Nothing is wrong: it starts when"
              + (job.queue() == null ? " its queue" : " the queue " + job.queue())
              + " admits it (kubectl get workloads.kueue.x-k8s.io -n "
              + job.namespace()
              + ")";
      case "WaitingForGang" ->
          "It starts when its scheduler can place all of its pods at once"
              + (job.queue() == null ? "" : " (queue " + job.queue() + ")");
      case "ReplicaFailed" -> "The operator is finding out whose failure it was";
      default -> "";
    };
  }

  /**
   * What keeps pods from running.
   *
   * @param trouble the trouble
   * @param job the job
   * @return a part of a sentence, or more
   */
  static String inWords(PodTrouble trouble, Job job) {
    return switch (trouble.kind()) {
      case IMAGE -> trouble.words() + ". " + of("ImagePullFailed", job);
      case UNSCHEDULABLE -> trouble.words() + ". " + of("Unschedulable", job);
      case GATED -> "held back by scheduling gates, which whoever set them takes away";
      case CRASH_LOOP, START -> trouble.words();
      case STARTING -> "on " + trouble.first().node() + ", and being started there";
    };
  }
}
