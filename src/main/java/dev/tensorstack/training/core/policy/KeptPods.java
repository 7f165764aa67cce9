package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.observe.ObservedPod;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that ended and were replaced are kept for their logs: the latest of a job. */
public final class KeptPods {

  /** How many a job keeps. */
  public static final int MOST = 10;

  private static final Comparator<ObservedPod> LATEST_FIRST =
      Comparator.comparing(ObservedPod::createdAt)
          .thenComparing(ObservedPod::earlierPods)
          .thenComparing(ObservedPod::name)
          .reversed();

  private KeptPods() {}

  /**
   * The pods that are no longer kept.
   *
   * @param replaced pods of one job that ended and have been replaced, in any order
   * @param lastFailed the name of the pod that {@code lastFailure} names, whose log is needed most;
   *     null when there is none
   * @return those to delete; empty up to {@link #MOST}, never the one of the last failure
   */
  public static List<ObservedPod> superfluous(
      List<ObservedPod> replaced, @Nullable String lastFailed) {
    return replaced.stream()
        .sorted(
            Comparator.comparing((ObservedPod pod) -> !pod.name().equals(lastFailed))
                .thenComparing(LATEST_FIRST))
        .skip(MOST)
        .filter(pod -> !pod.deleting())
        .toList();
  }
}
