package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.core.report.JobTransition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to jobs and what the controller does (docs/reference/metrics.md). No label
 * names a job or a pod. What has not happened yet is there with 0, as far as its labels are known.
 */
final class JobMetrics {

  private static final String SUCCEEDED = "succeeded";
  private static final String FAILED = "failed";

  private static final List<String> REASONS_OF_FAILURE =
      List.of(
          Reasons.REPLICA_FAILED,
          Reasons.BACKOFF_LIMIT_EXCEEDED,
          Reasons.DEADLINE_EXCEEDED,
          Reasons.INVALID_SPEC);

  private static final List<String> REASONS_OF_HANGS =
      List.of(Reasons.NO_PROGRESS, Reasons.NOT_A_NUMBER);

  /** From a second to hours in a queue. */
  private static final Duration[] WAITS =
      seconds(1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400);

  /** From a failed start to weeks of training. */
  private static final Duration[] LIVES =
      seconds(
          10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 604_800,
          2_592_000);

  private final MeterRegistry registry;
  private final String kind;
  private final @Nullable KubeflowMetrics kubeflow;
  private final Set<String> namespaces = ConcurrentHashMap.newKeySet();
  private final Counter podsCreated;
  private final Counter podsDeleted;
  private final Timer firstPod;
  private final Timer allRunning;
  private final Timer recovery;
  private final Timer succeededAfter;
  private final Timer failedAfter;

  /**
   * The counts of the jobs of one kind.
   *
   * @param kind the kind's name, for the label of all series
   * @param kubeflow the counters under the names of Kubeflow's operator; null for none
   */
  JobMetrics(MeterRegistry registry, String kind, @Nullable KubeflowMetrics kubeflow) {
    this.registry = registry;
    this.kind = kind;
    this.kubeflow = kubeflow;
    podsCreated = counter(Metric.PODS_CREATED);
    podsDeleted = counter(Metric.PODS_DELETED);
    firstPod = histogram(Metric.FIRST_POD, WAITS);
    allRunning = histogram(Metric.ALL_RUNNING, WAITS);
    recovery = histogram(Metric.RECOVERY, WAITS);
    succeededAfter = histogram(Metric.DURATION, LIVES, "result", SUCCEEDED);
    failedAfter = histogram(Metric.DURATION, LIVES, "result", FAILED);
  }

  private static Duration[] seconds(long... bounds) {
    Duration[] durations = new Duration[bounds.length];
    for (int i = 0; i < bounds.length; i++) {
      durations[i] = Duration.ofSeconds(bounds[i]);
    }
    return durations;
  }

  private Timer histogram(Metric metric, Duration[] bounds, String... labels) {
    return Timer.builder(metric.meter())
        .description(metric.description())
        .tags(Metric.KIND_LABEL, kind)
        .tags(labels)
        .serviceLevelObjectives(bounds)
        .register(registry);
  }

  private Counter counter(Metric metric, String... labels) {
    return Counter.builder(metric.meter())
        .description(metric.description())
        .tags(Metric.KIND_LABEL, kind)
        .tags(labels)
        .register(registry);
  }

  /** A pod was created. */
  void podCreated() {
    podsCreated.increment();
  }

  /** A pod's deletion was accepted. */
  void podDeleted() {
    podsDeleted.increment();
  }

  /** An object could not be read. */
  void unreadable(String namespace) {
    unreadableJobs(namespace).increment();
  }

  /** There are jobs in a namespace: what is counted for it begins with 0. */
  void known(String namespace) {
    if (namespaces.add(namespace)) {
      created(namespace);
      unreadableJobs(namespace);
      if (kubeflow != null) {
        kubeflow.known(namespace);
      }
      ended(namespace, SUCCEEDED, Reasons.SUCCEEDED);
      REASONS_OF_FAILURE.forEach(reason -> ended(namespace, FAILED, reason));
      for (FailureCause cause : FailureCause.values()) {
        restarts(namespace, cause);
      }
      REASONS_OF_HANGS.forEach(reason -> hangs(namespace, reason));
    }
  }

  /** A job is gone. */
  void deleted(String namespace) {
    if (kubeflow != null) {
      kubeflow.deleted(namespace);
    }
  }

  /** Facts about a job of a namespace, once the status that says them is stored. */
  void count(String namespace, List<JobTransition> facts) {
    for (JobTransition fact : facts) {
      known(namespace);
      if (kubeflow != null) {
        kubeflow.count(namespace, fact);
      }
      if (fact instanceof JobTransition.Created) {
        created(namespace).increment();
      } else if (fact instanceof JobTransition.FirstPodRan first) {
        firstPod.record(first.sinceCreation());
      } else if (fact instanceof JobTransition.AllPodsRan all) {
        allRunning.record(all.sinceCreation());
      } else if (fact instanceof JobTransition.Restarted restarted) {
        restarts(namespace, restarted.cause()).increment(restarted.times());
      } else if (fact instanceof JobTransition.Hung hung) {
        hangs(namespace, hung.reason()).increment();
      } else if (fact instanceof JobTransition.Recovered recovered) {
        recovery.record(recovered.sinceFailure());
      } else if (fact instanceof JobTransition.Ended end) {
        ended(namespace, end.succeeded() ? SUCCEEDED : FAILED, end.reason()).increment();
        if (end.duration() != null) {
          (end.succeeded() ? succeededAfter : failedAfter).record(end.duration());
        }
      }
    }
  }

  private Counter unreadableJobs(String namespace) {
    return counter(Metric.UNREADABLE, "namespace", namespace);
  }

  private Counter created(String namespace) {
    return counter(Metric.CREATED, "namespace", namespace);
  }

  private Counter ended(String namespace, String result, String reason) {
    return counter(Metric.FINISHED, "namespace", namespace, "result", result, "reason", reason);
  }

  private Counter hangs(String namespace, String reason) {
    return counter(Metric.HANGS, "namespace", namespace, "reason", reason);
  }

  private Counter restarts(String namespace, FailureCause cause) {
    return counter(Metric.RESTARTS, "namespace", namespace, "cause", cause.name());
  }
}
