package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import org.jspecify.annotations.Nullable;

/** The master's success is the job's success; nothing else ends a job well. */
public final class SuccessPolicy {

  private SuccessPolicy() {}

  /**
   * Whether the job has succeeded.
   *
   * @param master the master's present pod, or null when there is none
   * @return true when it ended with 0 by itself, not because it is being deleted, and was there to
   *     train
   */
  public static boolean succeeded(@Nullable ObservedPod master) {
    return master != null
        && master.phase() == ObservedPod.Phase.SUCCEEDED
        && master.endedByItself()
        && master.mode() != RunModeKind.DEBUG;
  }
}
