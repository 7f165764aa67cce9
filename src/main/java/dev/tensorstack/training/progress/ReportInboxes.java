package dev.tensorstack.training.progress;

import dev.tensorstack.training.engine.ReportInbox;
import java.util.Map;

/**
 * Where the trainings of all served kinds report.
 *
 * @param byPlural the inboxes, by the plural of the kind
 */
public record ReportInboxes(Map<String, ReportInbox> byPlural) {}
