package dev.tensorstack.training.core.observe;

import java.time.Instant;

/**
 * A time in which nobody could hear a training's reports, for a reason that is the operator's.
 *
 * @param from its beginning
 * @param until its end
 * @param heardSince since when all reports before it were heard; of a training whose last step is
 *     older nothing is known, and its time begins anew at the end of the gap
 */
public record ReportGap(Instant from, Instant until, Instant heardSince) {

  /** A gap before which all was heard. */
  public ReportGap(Instant from, Instant until) {
    this(from, until, Instant.MIN);
  }
}
