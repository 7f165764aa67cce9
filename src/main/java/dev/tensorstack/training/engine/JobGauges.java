package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs are in which phase and how many replicas in which state, by namespace. It is added
 * up from the statuses in the cache, not kept by counting, so it is right from the start on. Only
 * the leader tells, or a sum over all replicas of the operator would count each job twice.
 */
final class JobGauges<R extends CustomResource<?, ?>> implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(JobGauges.class);
  private static final Duration TICK = Duration.ofSeconds(1);

  private static final JobPhase[] PHASES = JobPhase.values();

  private static final ReplicaPhase[] STATES = ReplicaPhase.values();

  /** The jobs and replicas of a namespace, by the ordinal of their phase. */
  private static final class Counts {
    private final int[] jobs = new int[PHASES.length];
    private final int[] replicas = new int[STATES.length];

    private void add(@Nullable JobSummary summary, JobPhase phase) {
      jobs[phase.ordinal()]++;
      if (summary != null) {
        for (ReplicaPhase state : STATES) {
          replicas[state.ordinal()] += summary.counts().in(state);
        }
      }
    }
  }

  private final JobKind<R> kind;
  private final MultiGauge jobs;
  private final MultiGauge replicas;
  private final Leadership leadership;
  private final Consumer<String> namespaceKnown;
  private final Consumer<String> jobGone;
  private final boolean tellsOfGone;
  private volatile Map<String, String> namespaceByUid = Map.of();
  private volatile Map<String, Counts> byNamespace = Map.of();
  private @Nullable ScheduledExecutorService ticking;

  /**
   * Gauges that show nothing yet.
   *
   * @param leadership whether to tell
   * @param namespaceKnown is told each namespace that has jobs, again and again
   * @param jobGone is told the namespace of each job that is gone since the last look; only of a
   *     kind with {@link JobKind#framework}
   */
  JobGauges(
      JobKind<R> kind,
      MeterRegistry registry,
      Leadership leadership,
      Consumer<String> namespaceKnown,
      Consumer<String> jobGone) {
    this.kind = kind;
    this.leadership = leadership;
    this.namespaceKnown = namespaceKnown;
    this.jobGone = jobGone;
    this.tellsOfGone = kind.framework() != null;
    jobs =
        MultiGauge.builder(Metric.JOBS.meter())
            .description(Metric.JOBS.description())
            .tag(Metric.KIND_LABEL, kind.kind().kind())
            .register(registry);
    replicas =
        MultiGauge.builder(Metric.REPLICAS.meter())
            .description(Metric.REPLICAS.description())
            .tag(Metric.KIND_LABEL, kind.kind().kind())
            .register(registry);
  }

  /** Adds up the statuses each second, in a thread of its own. */
  void start(Supplier<@Nullable Stream<R>> cache) {
    ticking = Executors.newSingleThreadScheduledExecutor(new DaemonThreads("job-gauges"));
    ticking.scheduleWithFixedDelay(
        () -> {
          try {
            tick(cache);
          } catch (RuntimeException problem) {
            LOG.warnf(problem, "jobs could not be counted for the metrics, it is tried again");
          }
        },
        TICK.toMillis(),
        TICK.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /**
   * Only the leader tells; who does not lead any more, or does not work on the kind, has not seen
   * any job go.
   *
   * @param cache all jobs, or null while they are not worked on
   */
  void tick(Supplier<@Nullable Stream<R>> cache) {
    Stream<R> all = leadership.leads() ? cache.get() : null;
    if (all != null) {
      update(all);
    } else {
      namespaceByUid = Map.of();
      update(Stream.empty());
    }
  }

  /** Shows other jobs from now on. */
  void update(Stream<R> all) {
    Map<String, Counts> now = new HashMap<>();
    Map<String, String> present = new HashMap<>();
    all.filter(kind::isManagedHere)
        .forEach(
            job -> {
              if (tellsOfGone) {
                present.put(job.getMetadata().getUid(), job.getMetadata().getNamespace());
              }
              JobSummary summary = kind.summary(job);
              now.computeIfAbsent(job.getMetadata().getNamespace(), namespace -> new Counts())
                  .add(summary, phase(job, summary));
            });
    now.keySet().forEach(namespaceKnown);
    namespaceByUid.forEach(
        (uid, namespace) -> {
          if (!present.containsKey(uid)) {
            jobGone.accept(namespace);
          }
        });
    namespaceByUid = present;
    boolean otherNamespaces = !now.keySet().equals(byNamespace.keySet());
    byNamespace = now;
    if (otherNamespaces) {
      register(now.keySet());
    }
  }

  private void register(Set<String> namespaces) {
    List<MultiGauge.Row<?>> ofJobs = new ArrayList<>();
    List<MultiGauge.Row<?>> ofReplicas = new ArrayList<>();
    for (String namespace : namespaces) {
      for (JobPhase phase : PHASES) {
        int i = phase.ordinal();
        ofJobs.add(row(namespace, "phase", phase.name(), counts -> counts.jobs[i]));
      }
      for (ReplicaPhase state : STATES) {
        int i = state.ordinal();
        String word = state.name().toLowerCase(Locale.ROOT);
        ofReplicas.add(row(namespace, "state", word, counts -> counts.replicas[i]));
      }
    }
    jobs.register(ofJobs);
    replicas.register(ofReplicas);
  }

  private MultiGauge.Row<?> row(
      String namespace, String label, String word, ToIntFunction<Counts> count) {
    return MultiGauge.Row.of(
        Tags.of("namespace", namespace, label, word),
        namespace,
        known -> {
          Counts counts = byNamespace.get(known);
          return counts == null ? 0 : count.applyAsInt(counts);
        });
  }

  /** A job that nobody has looked at yet is pending. */
  private JobPhase phase(R job, @Nullable JobSummary summary) {
    if (summary != null) {
      return summary.phase();
    }
    return kind.unreadable(job) == null ? JobPhase.Pending : JobPhase.Unknown;
  }

  @Override
  public void close() {
    if (ticking != null) {
      ticking.shutdownNow();
    }
  }
}
