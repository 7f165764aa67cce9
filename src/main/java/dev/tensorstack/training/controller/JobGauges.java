package dev.tensorstack.training.controller;

import dev.tensorstack.training.api.v1beta1.JobPhase;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.naming.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs are in which phase and how many replicas in which state, by namespace. It is added
 * up from the statuses in the cache, not kept by counting, so it is right from the start on. Only
 * the leader tells, or a sum over all replicas of the operator would count each job twice.
 */
final class JobGauges implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(JobGauges.class);
  private static final Duration TICK = Duration.ofSeconds(1);

  /** One number: of a namespace, and of a phase or state. */
  private record Cell(String namespace, String label) {}

  private final MultiGauge jobs;
  private final MultiGauge replicas;
  private final Leadership leadership;
  private final Consumer<String> namespaceKnown;
  private volatile Map<Cell, Integer> jobCounts = Map.of();
  private volatile Map<Cell, Integer> replicaCounts = Map.of();
  private @Nullable ScheduledExecutorService ticking;

  /**
   * Gauges that show nothing yet.
   *
   * @param leadership whether to tell
   * @param namespaceKnown is told each namespace that has jobs, again and again
   */
  JobGauges(MeterRegistry registry, Leadership leadership, Consumer<String> namespaceKnown) {
    this.leadership = leadership;
    this.namespaceKnown = namespaceKnown;
    jobs =
        MultiGauge.builder(Metric.JOBS.meter())
            .description(Metric.JOBS.description())
            .register(registry);
    replicas =
        MultiGauge.builder(Metric.REPLICAS.meter())
            .description(Metric.REPLICAS.description())
            .register(registry);
  }

  /** Adds up the statuses each second, in a thread of its own. */
  void start(Supplier<Stream<PyTorchTrainingJob>> cache) {
    ticking =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "job-gauges");
              thread.setDaemon(true);
              return thread;
            });
    ticking.scheduleWithFixedDelay(
        () -> {
          try {
            update(leadership.leads() ? cache.get() : Stream.empty());
          } catch (RuntimeException problem) {
            LOG.warnf(problem, "jobs could not be counted for the metrics, it is tried again");
          }
        },
        TICK.toMillis(),
        TICK.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** Shows other jobs from now on. */
  void update(Stream<PyTorchTrainingJob> all) {
    Map<Cell, Integer> phases = new HashMap<>();
    Map<Cell, Integer> states = new HashMap<>();
    all.forEach(
        job -> {
          String namespace = job.getMetadata().getNamespace();
          if (!phases.containsKey(new Cell(namespace, JobPhase.Unknown.name()))) {
            for (JobPhase phase : JobPhase.values()) {
              phases.put(new Cell(namespace, phase.name()), 0);
            }
            add(states, namespace, new ReplicaAggregate(0, 0, 0, 0, 0, 0, 0));
          }
          phases.merge(new Cell(namespace, phase(job)), 1, Integer::sum);
          PyTorchTrainingJobStatus status = job.getStatus();
          if (status != null && status.aggregate() != null) {
            add(states, namespace, status.aggregate());
          }
        });
    phases.keySet().stream().map(Cell::namespace).distinct().forEach(namespaceKnown);
    boolean otherNamespaces = !phases.keySet().equals(jobCounts.keySet());
    jobCounts = phases;
    replicaCounts = states;
    if (otherNamespaces) {
      jobs.register(rows(phases, "phase", cell -> jobCounts.getOrDefault(cell, 0)));
      replicas.register(rows(states, "state", cell -> replicaCounts.getOrDefault(cell, 0)));
    }
  }

  private static List<MultiGauge.Row<?>> rows(
      Map<Cell, Integer> cells, String label, java.util.function.ToDoubleFunction<Cell> value) {
    return cells.keySet().stream()
        .<MultiGauge.Row<?>>map(
            cell ->
                MultiGauge.Row.of(
                    Tags.of("namespace", cell.namespace(), label, cell.label()), cell, value))
        .toList();
  }

  /** A job that nobody has looked at yet is pending; a word of another version is unknown. */
  private static String phase(PyTorchTrainingJob job) {
    String phase = job.getStatus() == null ? null : job.getStatus().phase();
    if (phase == null) {
      return (job.unreadable() == null ? JobPhase.Pending : JobPhase.Unknown).name();
    }
    for (JobPhase known : JobPhase.values()) {
      if (known.name().equals(phase)) {
        return phase;
      }
    }
    return JobPhase.Unknown.name();
  }

  private static void add(Map<Cell, Integer> states, String namespace, ReplicaAggregate counts) {
    states.merge(new Cell(namespace, "creating"), counts.creating(), Integer::sum);
    states.merge(new Cell(namespace, "pending"), counts.pending(), Integer::sum);
    states.merge(new Cell(namespace, "running"), counts.running(), Integer::sum);
    states.merge(new Cell(namespace, "succeeded"), counts.succeeded(), Integer::sum);
    states.merge(new Cell(namespace, "failed"), counts.failed(), Integer::sum);
    states.merge(new Cell(namespace, "unknown"), counts.unknown(), Integer::sum);
    states.merge(new Cell(namespace, "deleted"), counts.deleted(), Integer::sum);
  }

  @Override
  public void close() {
    if (ticking != null) {
      ticking.shutdownNow();
    }
  }
}
