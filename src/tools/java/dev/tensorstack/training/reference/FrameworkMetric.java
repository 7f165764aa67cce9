package dev.tensorstack.training.reference;

import java.util.List;

/**
 * A metric of a framework that dashboards or alerts of the project use.
 *
 * @param name as queries write it; of a histogram or summary without an ending
 * @param type as Prometheus is told
 * @param labels the labels that queries of the project use
 * @param meaning in words
 */
public record FrameworkMetric(String name, String type, List<String> labels, String meaning) {

  /** All that are used; those of API servers are not among them. */
  public static final List<FrameworkMetric> USED =
      List.of(
          new FrameworkMetric(
              "operator_sdk_reconciliations_started_total",
              "counter",
              List.of("kind"),
              "Looks at jobs that began"),
          new FrameworkMetric(
              "operator_sdk_reconciliations_failed_total",
              "counter",
              List.of("exception", "kind"),
              "Looks at jobs that ended with an exception and are repeated; not there before the"
                  + " first one"),
          new FrameworkMetric(
              "operator_sdk_reconciliations_queue_size_pytorchtrainingjob",
              "gauge",
              List.of("kind"),
              "PyTorchTrainingJobs that wait to be looked at, and those that are looked at"),
          new FrameworkMetric(
              "operator_sdk_reconciliations_queue_size_pytorchjob",
              "gauge",
              List.of("kind"),
              "The same of PyTorchJobs"),
          new FrameworkMetric(
              "operator_sdk_reconciliations_executions_pytorchtrainingjob",
              "gauge",
              List.of("kind"),
              "PyTorchTrainingJobs that are looked at"),
          new FrameworkMetric(
              "operator_sdk_reconciliations_executions_pytorchjob",
              "gauge",
              List.of("kind"),
              "The same of PyTorchJobs"),
          new FrameworkMetric(
              "operator_sdk_controllers_execution_reconcile_seconds",
              "summary",
              List.of("resource_kind"),
              "How long a look takes"),
          new FrameworkMetric(
              "operator_sdk_events_received_total",
              "counter",
              List.of("action", "event", "kind"),
              "Changes that the watches told, and wake-ups"),
          new FrameworkMetric(
              "http_server_requests_seconds",
              "summary",
              List.of("status", "uri"),
              "Requests to the port of the webhooks and their time"),
          new FrameworkMetric(
              "process_cpu_usage",
              "gauge",
              List.of(),
              "Share of all processors that the process uses"),
          new FrameworkMetric("system_cpu_count", "gauge", List.of(), "Processors"),
          new FrameworkMetric("process_uptime_seconds", "gauge", List.of(), "Time since the start"),
          new FrameworkMetric(
              "jvm_memory_used_bytes", "gauge", List.of("area"), "Memory by its kind"),
          new FrameworkMetric(
              "jvm_gc_overhead",
              "gauge",
              List.of(),
              "Share of CPU time that the GC takes; always 0 in the native image, which does not"
                  + " report its GC"),
          new FrameworkMetric(
              "jvm_gc_pause_seconds",
              "summary",
              List.of("action", "cause", "gc"),
              "Pauses for the GC; from the first one on, and not in the native image"),
          new FrameworkMetric(
              "jvm_threads_live_threads", "gauge", List.of(), "Threads, daemons included"));
}
