package dev.tensorstack.training.kind.pytorchjob;

import org.jspecify.annotations.Nullable;

/**
 * What an administrator can set for all PyTorchJobs.
 *
 * @param gangScheduler the {@code schedulerName} of the gang scheduler; null for none
 * @param masterWait how workers wait for the master's name in DNS; null where they do not
 */
public record PyTorchJobSettings(@Nullable String gangScheduler, @Nullable MasterWait masterWait) {

  /** No gang scheduler, and no init containers. */
  public static final PyTorchJobSettings PLAIN = new PyTorchJobSettings(null, null);
}
