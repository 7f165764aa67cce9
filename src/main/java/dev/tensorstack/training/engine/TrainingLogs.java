package dev.tensorstack.training.engine;

import com.google.re2j.PatternSyntaxException;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.LogPattern;
import dev.tensorstack.training.core.policy.TrainingContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is new in the logs of masters whose jobs name a {@code logPattern}, every few seconds,
 * and takes what matches for reports. Some at once, some hundred lines of each; nobody else's log
 * is read, and no connection is kept.
 */
final class TrainingLogs {

  private static final Logger LOG = Logger.getLogger(TrainingLogs.class);

  private static final int LINES = 500;
  private static final int BYTES = 1 << 20;
  private static final int AT_ONCE = 4;

  /** As often as the status tells it. */
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final Duration TICK = Duration.ofSeconds(1);

  /** A node that starts anew, or an API server that is busy, is no reason to tell the user. */
  private static final Duration UNREADABLE = Duration.ofMinutes(1);

  private final Source source;
  private final Clock clock;
  private final Listener listener;
  private final Predicate<TrainingJob> exists;
  private final Executor background;
  private final Map<String, Followed> followed = new ConcurrentHashMap<>();
  private @Nullable ScheduledExecutorService ticking;

  /** Where logs come from. */
  interface Source {
    /**
     * The last lines of a log, each with its time.
     *
     * @param since from when on, in whole seconds; null for any time
     * @throws KubernetesClientException when it cannot be had
     */
    String lines(String namespace, String pod, String container, @Nullable Instant since);
  }

  /** Is told what comes of reading. */
  interface Listener {
    /** More is known of a job's training. */
    void enqueue(ResourceID job, JobMemory memory);

    /**
     * A job's log cannot be read, told once of each master.
     *
     * @param message what is wrong, and the remedy
     */
    void unreadable(TrainingJob job, String message);
  }

  /** One log that is followed; guarded by itself. */
  private static final class Followed {
    private final TrainingJob job;
    private final JobMemory memory;
    private final ObservedPod pod;
    private final String container;
    private final LogPattern pattern;
    private @Nullable Instant lastLine;
    private @Nullable Instant completeSince;
    private @Nullable Instant lastRead;
    private Instant next = Instant.MIN;
    private boolean reading;
    private @Nullable Instant unreadableSince;
    private boolean unreadableTold;

    Followed(
        TrainingJob job, JobMemory memory, ObservedPod pod, String container, LogPattern pattern) {
      this.job = job;
      this.memory = memory;
      this.pod = pod;
      this.container = container;
      this.pattern = pattern;
    }

    boolean isOf(ObservedPod other, String expression, JobMemory of) {
      return pod.uid().equals(other.uid()) && pattern.text().equals(expression) && memory == of;
    }
  }

  /**
   * Logs of masters.
   *
   * @param listener is told what was found
   * @param exists whether a job is still there
   */
  TrainingLogs(
      KubernetesClient client, Clock clock, Listener listener, Predicate<TrainingJob> exists) {
    this(
        (namespace, pod, container, since) ->
            client.raw(
                "/api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true&tailLines=%d&limitBytes=%d%s"
                    .formatted(
                        namespace,
                        pod,
                        container,
                        LINES,
                        BYTES,
                        since == null ? "" : "&sinceTime=" + since)),
        clock,
        listener,
        exists,
        DaemonThreads.upTo(AT_ONCE, "training-logs"));
  }

  TrainingLogs(
      Source source,
      Clock clock,
      Listener listener,
      Predicate<TrainingJob> exists,
      Executor background) {
    this.exists = exists;
    this.source = source;
    this.clock = clock;
    this.listener = listener;
    this.background = background;
  }

  /** Begins to read, in a thread of its own. */
  void start() {
    ticking = Executors.newSingleThreadScheduledExecutor(new DaemonThreads("training-logs-tick"));
    ticking.scheduleWithFixedDelay(
        this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Follows the log of a job's master while it runs, and no longer.
   *
   * @param pods the job's pods
   * @return since when nothing could be read; null for a job whose log is not to be read
   */
  @Nullable ReportGap follow(TrainingJob job, Collection<ObservedPod> pods, JobMemory memory) {
    ProgressPolicy policy = job.spec().runPolicy().progress();
    String expression = policy.logPattern();
    if (expression == null) {
      followed.remove(job.uid());
      return null;
    }
    ObservedPod master = master(job, pods);
    if (master == null || job.deleting() || job.ledger().outcome() != null) {
      followed.remove(job.uid());
      return new ReportGap(Instant.MIN, clock.instant());
    }
    Followed log =
        followed.compute(
            job.uid(),
            (uid, known) ->
                known != null && known.isOf(master, expression, memory)
                    ? known
                    : begin(job, memory, master, expression));
    Instant now = clock.instant();
    if (log == null) {
      return new ReportGap(Instant.MIN, now);
    }
    synchronized (log) {
      Instant complete = log.completeSince;
      Instant read = log.lastRead;
      if (complete == null || read == null) {
        return new ReportGap(Instant.MIN, now);
      }
      // The limit is over when a reading that has begun after it has found nothing. What was
      // written
      // before the lines that are known without a gap is not known to be the last step.
      Instant step = lastStep(job);
      return step != null && !step.isBefore(complete)
          ? new ReportGap(read, now)
          : new ReportGap(Instant.MIN, complete.plus(Duration.between(read, now)));
    }
  }

  private static @Nullable Instant lastStep(TrainingJob job) {
    Training training = job.ledger().training();
    return training != null && training.attempt() == job.ledger().counts().attempt()
        ? training.stepAt()
        : null;
  }

  private static @Nullable ObservedPod master(TrainingJob job, Collection<ObservedPod> pods) {
    List<ReplicaType> types = job.spec().types();
    if (types.isEmpty()) {
      return null;
    }
    ReplicaType first = types.get(0);
    return pods.stream()
        .filter(
            pod ->
                pod.replica().index() == 0
                    && pod.replica().type().equals(first.name())
                    && pod.attempt() == job.ledger().counts().attempt()
                    && pod.live()
                    && pod.runningSince() != null)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Followed begin(
      TrainingJob job, JobMemory memory, ObservedPod pod, String expression) {
    List<Container> containers =
        job.spec().type(pod.replica().type()).template().getSpec().getContainers();
    if (containers.isEmpty()) {
      return null;
    }
    String name =
        containers
            .get(TrainingContainer.indexIn(containers, job.spec().traits().trainingContainer()))
            .getName();
    if (!LogPattern.isBounded(expression)) {
      return null;
    }
    try {
      return new Followed(job, memory, pod, name, new LogPattern(expression));
    } catch (PatternSyntaxException wrong) {
      // Admission refuses it; one that slipped in finds nothing.
      return null;
    }
  }

  /** Reads the logs whose time has come, of jobs that are there. */
  void tick() {
    try {
      readDue();
    } catch (RuntimeException mistake) {
      // Another one would end the schedule.
      LOG.warnf(mistake, "logs of trainings");
    }
  }

  private void readDue() {
    Instant now = clock.instant();
    followed.values().removeIf(log -> !exists.test(log.job));
    followed
        .values()
        .forEach(
            log -> {
              synchronized (log) {
                if (log.reading || now.isBefore(log.next)) {
                  return;
                }
                log.reading = true;
                log.next = now.plus(INTERVAL);
              }
              background.execute(() -> read(log));
            });
  }

  private void read(Followed log) {
    TrainingJob job = log.job;
    Instant begun = clock.instant();
    try {
      Instant last;
      synchronized (log) {
        last = log.lastLine;
      }
      String lines =
          source.lines(
              job.namespace(),
              log.pod.name(),
              log.container,
              last == null ? null : last.truncatedTo(ChronoUnit.SECONDS));
      LogPattern.Reading reading = log.pattern.read(lines, last);
      List<LogPattern.Found> reports = reading.found();
      for (LogPattern.Found report : reports) {
        TrainingReport unused =
            log.memory
                .training()
                .receive(
                    report.time(),
                    moment ->
                        new TrainingReport(
                            log.pod.attempt(), report.percent(), null, report.metrics(), moment));
      }
      synchronized (log) {
        // The last line that is known comes first again, as the time is inclusive: if it does not,
        // lines between are not there any more.
        boolean joins =
            last == null
                ? reading.first() == null
                : reading.first() != null && !reading.first().isAfter(last);
        boolean isCut = lines.length() >= BYTES;
        if (log.completeSince == null || !joins || isCut) {
          log.completeSince = reading.first() == null || isCut ? begun : reading.first();
        }
        log.unreadableSince = null;
        log.lastRead = begun;
        // An empty log, which was rotated, is a beginning.
        log.lastLine = reading.last();
      }
      if (!reports.isEmpty() || last == null) {
        listener.enqueue(new ResourceID(job.name(), job.namespace()), log.memory);
      }
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        // With the job, perhaps; else the next look follows the next pod.
        followed.remove(job.uid(), log);
      } else {
        refused(log, refusal, begun);
      }
    } catch (RuntimeException mistake) {
      LOG.warnf(mistake, "log of pod %s/%s", job.namespace(), log.pod.name());
    } finally {
      synchronized (log) {
        log.reading = false;
      }
    }
  }

  /** A right that is missing is told at once; all else may pass. */
  private void refused(Followed log, KubernetesClientException refusal, Instant now) {
    boolean forbidden = refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
    String why = Refusals.message(refusal);
    LOG.debugf("log of pod %s: %s", log.pod.name(), why);
    synchronized (log) {
      log.unreadableSince = log.unreadableSince == null ? now : log.unreadableSince;
      boolean lasts = !now.isBefore(log.unreadableSince.plus(UNREADABLE));
      if (log.unreadableTold || !(forbidden || lasts)) {
        return;
      }
      log.unreadableTold = true;
    }
    listener.unreadable(
        log.job,
        "the log of pod %s cannot be read, so that runPolicy.progress.logPattern finds nothing, and no hang: %s%s"
            .formatted(
                log.pod.name(),
                why,
                forbidden
                    ? "; let the operator get pods/log (rbac.podLogs of its chart)"
                    : "; does kubectl logs show it?"));
  }
}
