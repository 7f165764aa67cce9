package dev.tensorstack.training.core.observe;

import java.time.Instant;

/**
 * A time in which nobody could hear a training's reports, because no operator worked.
 *
 * @param from its beginning
 * @param until its end
 */
public record ReportGap(Instant from, Instant until) {}
