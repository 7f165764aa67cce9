package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What keeps pods from running, as the pods themselves say it.
 *
 * @param kind what sort of trouble it is
 * @param replicas the replicas that have it
 * @param words what the first of them says
 * @param first the first of them
 */
record PodTrouble(Kind kind, List<String> replicas, String words, RankedPod first) {

  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");
  private static final Set<String> IMAGE =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "RegistryUnavailable");

  private static final int NAMED = 3;

  /** Sorts of trouble; what needs somebody's hand comes first. */
  enum Kind {
    /** An image cannot be pulled. */
    IMAGE,
    /** A container ends again and again, and the kubelet starts it anew. */
    CRASH_LOOP,
    /** A container cannot be started for another reason. */
    START,
    /** Held back by scheduling gates. */
    GATED,
    /** No node fits. */
    UNSCHEDULABLE,
    /** On its node and not started, without a word why. */
    STARTING
  }

  /**
   * The worst trouble of a job's pods.
   *
   * @param pods the latest pod of each rank
   * @return the trouble; null when there is none
   */
  static @Nullable PodTrouble of(List<RankedPod> pods) {
    for (Kind kind : Kind.values()) {
      List<String> replicas = new ArrayList<>();
      RankedPod first = null;
      String words = null;
      for (RankedPod pod : pods) {
        String here = pod.hasEnded() || pod.isDeleting() ? null : words(kind, pod);
        if (here != null) {
          replicas.add(pod.replica());
          // Pods of a gang that would fit only say that they wait for those that do not.
          boolean better =
              words == null
                  || (here.contains("nodes are available")
                      && !words.contains("nodes are available"));
          first = better ? pod : first;
          words = better ? here : words;
        }
      }
      if (first != null && words != null) {
        return new PodTrouble(kind, replicas, words, first);
      }
    }
    return null;
  }

  private static @Nullable String words(Kind kind, RankedPod pod) {
    return switch (kind) {
      case IMAGE -> waiting(pod, kind);
      case CRASH_LOOP -> waiting(pod, kind);
      case START -> waiting(pod, kind);
      case GATED -> scheduler(pod, "SchedulingGated");
      case UNSCHEDULABLE -> scheduler(pod, "Unschedulable");
      case STARTING -> pod.node() != null && pod.phase().equals("Pending") ? "" : null;
    };
  }

  private static @Nullable String scheduler(RankedPod pod, String reason) {
    Tree scheduled = pod.scheduled();
    return pod.node() == null && reason.equals(scheduled.text("reason"))
        ? Objects.requireNonNullElse(scheduled.text("message"), reason)
        : null;
  }

  private static @Nullable String waiting(RankedPod pod, Kind kind) {
    for (Tree container : pod.containers()) {
      String reason = container.text("state", "waiting", "reason");
      if (reason == null || STARTING.contains(reason) || sort(reason) != kind) {
        continue;
      }
      String message = container.text("state", "waiting", "message");
      return kind == Kind.CRASH_LOOP
          ? crash(container)
          : "container "
              + container.text("name")
              + " waits: "
              + reason
              + (message == null ? "" : ", " + message);
    }
    return null;
  }

  private static Kind sort(String reason) {
    if (IMAGE.contains(reason)) {
      return Kind.IMAGE;
    }
    return reason.equals("CrashLoopBackOff") ? Kind.CRASH_LOOP : Kind.START;
  }

  private static String crash(Tree container) {
    Tree last = container.at("lastState", "terminated");
    String reason = last.text("reason");
    return "container "
        + container.text("name")
        + " ended "
        + (last.isPresent()
            ? "with exit code "
                + last.count("exitCode")
                + (reason == null ? "" : " (" + reason + ")")
                + ", "
            : "")
        + "and the kubelet starts it again after a delay; restarts so far: "
        + container.count("restartCount");
  }

  /**
   * The replicas in words.
   *
   * @return for example {@code worker-0, worker-1, worker-2 and 5 more}
   */
  String who() {
    return list(replicas);
  }

  /**
   * A list for a sentence.
   *
   * @param names names
   * @return the first three of them, and how many more there are
   */
  static String list(List<String> names) {
    return names.size() <= NAMED
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, NAMED)) + " and " + (names.size() - NAMED) + " more";
  }
}
