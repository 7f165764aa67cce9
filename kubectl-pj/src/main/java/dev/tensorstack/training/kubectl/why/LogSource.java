package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the last words of a failure, or of a training that hangs, stand.
 *
 * @param pod the pod
 * @param container its container
 * @param previous whether the container has been started again since
 */
public record LogSource(RankedPod pod, String container, boolean previous) {

  /**
   * The log to look into.
   *
   * @param job the job
   * @param pods its pods
   * @return the log of the failure that the job is about now, or that of rank 0 where the training
   *     gets nowhere; null when nothing is wrong, or the pod is gone
   */
  public static @Nullable LogSource of(Job job, List<RankedPod> pods) {
    PodFailure failure = job.status().lastFailure();
    for (RankedPod pod : pods) {
      if (failure != null && pod.name().equals(failure.pod()) && isAboutFailure(job)) {
        return of(job, pod);
      }
    }
    PodTrouble trouble = PodTrouble.of(pods.stream().filter(RankedPod::current).toList());
    if (trouble != null && trouble.kind() == PodTrouble.Kind.CRASH_LOOP) {
      return of(job, trouble.first());
    }
    boolean ended = failure != null && failure.isProblem() && isAboutFailure(job);
    if (job.status().problem() != null || ended) {
      return ofMaster(job, pods);
    }
    // Another operator keeps no failure: the pod that failed first is the best guess.
    return failure == null && isAboutFailure(job) ? firstFailed(job, pods) : null;
  }

  private static @Nullable LogSource ofMaster(Job job, List<RankedPod> pods) {
    for (RankedPod pod : pods) {
      if (pod.rank() == 0 && pod.current()) {
        return new LogSource(pod, pod.defaultContainer(job.kind()), false);
      }
    }
    return null;
  }

  private static boolean isAboutFailure(Job job) {
    return switch (job.status().phase()) {
      case Failed -> !List.of("InvalidSpec").contains(String.valueOf(job.status().reason()));
      case Pending, Resuming, Running ->
          List.of("Restarting", "ReplicaFailed").contains(String.valueOf(job.status().reason()));
      default -> false;
    };
  }

  private static @Nullable LogSource firstFailed(Job job, List<RankedPod> pods) {
    LogSource found = null;
    Tree earliest = Tree.of(null);
    for (RankedPod pod : pods) {
      for (Tree container : pod.containers()) {
        Tree end = container.at("state", "terminated");
        String at = end.text("finishedAt");
        String before = earliest.text("finishedAt");
        if (end.count("exitCode") != 0
            && at != null
            && (before == null || at.compareTo(before) < 0)) {
          earliest = end;
          found = of(job, pod);
        }
      }
    }
    return found;
  }

  private static LogSource of(Job job, RankedPod pod) {
    for (Tree container : pod.containers()) {
      String name = container.text("name");
      if (name != null && container.count("state", "terminated", "exitCode") != 0) {
        return new LogSource(pod, name, false);
      }
    }
    for (Tree container : pod.containers()) {
      String name = container.text("name");
      if (name != null && container.count("lastState", "terminated", "exitCode") != 0) {
        return new LogSource(pod, name, !container.at("state", "terminated").isPresent());
      }
    }
    return new LogSource(pod, pod.defaultContainer(job.kind()), false);
  }
}
