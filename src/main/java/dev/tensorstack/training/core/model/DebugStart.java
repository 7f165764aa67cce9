package dev.tensorstack.training.core.model;

import java.util.List;

/**
 * What the pods of a replica type run in debug mode.
 *
 * @param command the training container's command
 * @param skipInitContainers whether the pods have no init containers
 */
public record DebugStart(List<String> command, boolean skipInitContainers) {

  /** A command that waits until somebody looks around in the pod. */
  public static final List<String> WAITING_COMMAND = List.of("sleep", "inf");

  /** Debug mode of a type of which the job says nothing. */
  public static final DebugStart WAITING = new DebugStart(WAITING_COMMAND, false);
}
