package dev.tensorstack.training.policy;

import dev.tensorstack.training.observation.ObservedPod;
import java.util.Comparator;
import java.util.List;

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
   * @return those to delete; empty up to {@link #MOST}
   */
  public static List<ObservedPod> superfluous(List<ObservedPod> replaced) {
    return replaced.stream()
        .sorted(LATEST_FIRST)
        .skip(MOST)
        .filter(pod -> !pod.deleting())
        .toList();
  }
}
