package dev.tensorstack.training.simulation;

import java.time.Instant;

/**
 * What really became of a pod, as far as its version in the API tells; the operator never sees it.
 *
 * @param kind what became of it
 * @param since when, to the second as the API has it; null when only the one who sees it knows
 */
record Truth(Kind kind, Instant since) {

  static final Truth ALIVE = new Truth(Kind.ALIVE, null);

  enum Kind {
    /** It waits, starts or runs; or the operator itself told it to stop. */
    ALIVE,
    /** It ended well by itself. */
    DONE,
    /** It failed by its own fault. */
    APPLICATION,
    /** The cluster or a person took it away. */
    DISRUPTION
  }
}
