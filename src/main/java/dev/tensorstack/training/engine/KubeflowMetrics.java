package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.report.JobTransition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * The counters of jobs that Kubeflow's operator has, under its names and labels, so that dashboards
 * and alerts made for it go on. They count what is stored for the first time, so nothing twice.
 */
final class KubeflowMetrics {

  private static final String PREFIX = "training_operator_jobs_";

  private final MeterRegistry registry;
  private final String framework;

  /**
   * The counters of one kind.
   *
   * @param framework the value of the label of that name
   */
  KubeflowMetrics(MeterRegistry registry, String framework) {
    this.registry = registry;
    this.framework = framework;
  }

  /** There are jobs in a namespace: its series begin with 0. */
  void known(String namespace) {
    for (String what : List.of("created", "deleted", "successful", "failed", "restarted")) {
      counter(what, namespace);
    }
  }

  /** A fact about a job of a namespace. */
  void count(String namespace, JobTransition fact) {
    if (fact instanceof JobTransition.Created) {
      counter("created", namespace).increment();
    } else if (fact instanceof JobTransition.Restarted restarted) {
      counter("restarted", namespace).increment(restarted.times());
    } else if (fact instanceof JobTransition.Ended end) {
      counter(end.succeeded() ? "successful" : "failed", namespace).increment();
    }
  }

  /** A job of a namespace is gone. */
  void deleted(String namespace) {
    counter("deleted", namespace).increment();
  }

  private Counter counter(String what, String namespace) {
    return Counter.builder(PREFIX + what)
        .description("Jobs: " + what + ", as Kubeflow's operator counts them")
        .tags("job_namespace", namespace, "framework", framework)
        .register(registry);
  }
}
