package dev.tensorstack.training.progress;

import dev.tensorstack.training.engine.ReportReceiver;
import java.util.Map;

/**
 * Where the trainings of all served kinds report.
 *
 * @param byPlural the receivers, by the plural of the kind
 */
public record ReportReceivers(Map<String, ReportReceiver> byPlural) {}
