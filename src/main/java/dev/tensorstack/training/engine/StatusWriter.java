package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.EventReport;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.JobTransitions;
import dev.tensorstack.training.core.report.ReportChange;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;

/**
 * Writes events and status: only on change, with optimistic locking, and not too often. A decision
 * is written at once; a new phase or condition as soon as the shortest interval has passed; that
 * pods have ended an interval after the first of them; plain progress of pods after intervals that
 * double, so that a slow start costs few writes, while a job starts after a longer one, and after
 * the longest while many jobs start at once.
 */
final class StatusWriter<R extends CustomResource<?, ?>> {

  private static final Logger LOG = Logger.getLogger(StatusWriter.class);

  private final JobKind<R> kind;
  private final KubernetesClient client;
  private final EventWriter events;
  private final JobMetrics metrics;
  private final Clock clock;
  private final Duration minInterval;
  private final BooleanSupplier busy;

  /**
   * A writer.
   *
   * @param kind the kind of the jobs
   * @param minInterval the shortest time between two status writes of a job
   * @param busy whether jobs wait for each other's writes: plain progress then waits longer
   */
  StatusWriter(
      JobKind<R> kind,
      KubernetesClient client,
      EventWriter events,
      JobMetrics metrics,
      Clock clock,
      Duration minInterval,
      BooleanSupplier busy) {
    this.kind = kind;
    this.client = client;
    this.events = events;
    this.metrics = metrics;
    this.clock = clock;
    this.minInterval = minInterval;
    this.busy = busy;
  }

  /**
   * Writes a report into the status if it says something new and is due, and the events that the
   * API server could not take before.
   *
   * @param stored the job as it is stored
   * @param next the job with the status to be stored
   * @param isNews whether that status differs from the stored one
   * @param decision whether it holds a decision, which cannot wait
   * @return zero when nothing is left to write, else how long what is left must wait
   * @throws KubernetesClientException when the job has changed in between (409) or the API server
   *     cannot write; the reconciliation is then repeated
   */
  Duration write(
      R stored,
      R next,
      boolean isNews,
      Context<R> context,
      Observation seen,
      JobReport report,
      JobMemory memory,
      boolean decision) {
    EventTarget target = EventTarget.of(seen.job());
    if (!isNews) {
      memory.statusPace().saysAll();
      tell(target, List.of(), memory);
      return memory.events().untilNextTry(clock.instant());
    }
    StatusThrottle.News news =
        kind.isAwaited(stored, next) ? StatusThrottle.News.CHANGE : news(seen, report);
    Instant now = clock.instant();
    boolean later = news.canWait() && news != StatusThrottle.News.TRAINING && busy.getAsBoolean();
    Instant due = memory.statusPace().due(news, later, minInterval, now);
    if (!decision && now.isBefore(due)) {
      Duration wait = Duration.between(now, due);
      Duration calmer = minInterval.multipliedBy(2);
      return later && wait.compareTo(calmer) > 0 ? calmer : wait;
    }
    // Events first: their names follow from reason and attempt, so a repetition after a crash in
    // between is recognised, while an event after the status could be lost.
    tell(
        target, kind.events(stored, next, seen, report, EventReport.between(seen, report)), memory);
    context
        .resourceOperations()
        .resourcePatch(next, this::put, context.eventSourceRetriever().getControllerEventSource());
    Instant written = clock.instant();
    memory.statusPace().written(written, news);
    if (seen.job().summary() == null) {
      // The store had none either, so all pods of the job are this process's own.
      memory.podProof().found();
    }
    count(seen.job(), report, memory, written);
    return memory.events().untilNextTry(written);
  }

  /** What cannot be told now must not keep the status from being true. */
  private void tell(EventTarget job, List<JobEvent> news, JobMemory memory) {
    List<JobEvent> all = memory.events().with(news, clock.instant());
    if (all.isEmpty()) {
      return;
    }
    try {
      events.write(job, all);
      memory.events().written();
    } catch (KubernetesClientException away) {
      memory.events().refused(all, clock.instant());
      LOG.warnf(
          "job %s/%s: the API server cannot take events, they are tried again: %s",
          job.namespace(), job.name(), away.getMessage());
    }
  }

  private static StatusThrottle.News news(Observation seen, JobReport report) {
    TrainingJob job = seen.job();
    if (!ReportChange.isProgressOnly(job, report)) {
      return StatusThrottle.News.CHANGE;
    }
    if (ReportChange.recordsAnEnd(job, report)) {
      return ReportChange.recordsAnEndThatIsGone(seen, report)
          ? StatusThrottle.News.CHANGE
          : StatusThrottle.News.ENDS;
    }
    if (ReportChange.isTrainingOnly(job, report)) {
      return StatusThrottle.News.TRAINING;
    }
    return ReportChange.isStart(job, report)
        ? StatusThrottle.News.START
        : StatusThrottle.News.PROGRESS;
  }

  /**
   * Sends no more of the job than what the API server looks at. The client's own method copies the
   * whole job through JSON before it writes it as JSON.
   *
   * @return the answer
   */
  private R put(R next) {
    ObjectMeta metadata = next.getMetadata();
    String answer =
        client.raw(
            "/apis/%s/namespaces/%s/%s/%s/status"
                .formatted(
                    next.getApiVersion(),
                    metadata.getNamespace(),
                    next.getPlural(),
                    metadata.getName()),
            "PUT",
            next);
    return client.getKubernetesSerialization().unmarshal(answer, kind.type());
  }

  /** Only now: a status that was refused, or stored by another operator, is not counted. */
  private void count(TrainingJob job, JobReport report, JobMemory memory, Instant written) {
    metrics.count(job.namespace(), JobTransitions.between(job, report, memory.broken(), written));
    memory.broken(JobTransitions.brokenSince(job, report, memory.broken(), written));
  }
}
