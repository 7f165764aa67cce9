package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobEvent;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jboss.logging.Logger;

/** Writes events about jobs: one object for each job, reason and attempt. */
final class EventWriter {

  private static final Logger LOG = Logger.getLogger(EventWriter.class);
  private static final int LONGEST_MESSAGE = 1024;

  private static final int PARALLELISM = 16;

  private final KubernetesClient client;
  private final Clock clock;
  private final Executor threads;

  EventWriter(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
    this.threads = DaemonThreads.upTo(PARALLELISM, "event-writer");
  }

  /**
   * Writes a warning about the job's current attempt that no status tells. When the API server is
   * away it is in the operator's log alone.
   *
   * @param reason one of {@link dev.tensorstack.training.core.naming.Events}
   */
  void tell(TrainingJob job, String reason, String message) {
    try {
      write(
          EventTarget.of(job),
          new JobEvent(reason, true, job.ledger().counts().attempt(), message));
    } catch (KubernetesClientException away) {
      LOG.warnf(
          "job %s/%s: %s; the event about it could not be written: %s",
          job.namespace(), job.name(), message, away.getMessage());
    }
  }

  /**
   * Writes events, several at a time: the status that follows them waits for the slowest one, not
   * for all of them one after the other. An event that is refused for good (the namespace ends, the
   * right is missing) is logged and holds nothing up.
   *
   * @throws KubernetesClientException when the API server is away or overloaded: to be repeated, or
   *     the event would be lost. All events have been tried by then.
   */
  void write(EventTarget job, List<JobEvent> events) {
    if (events.size() == 1) {
      write(job, events.get(0));
      return;
    }
    List<CompletableFuture<Void>> answers =
        events.stream()
            .map(event -> CompletableFuture.runAsync(() -> write(job, event), threads))
            .toList();
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    try {
      all.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof KubernetesClientException refusal) {
        throw refusal;
      }
      throw failed;
    }
  }

  private void write(EventTarget job, JobEvent event) {
    try {
      writeOne(job, event);
    } catch (KubernetesClientException refusal) {
      if (Refusals.passes(refusal)) {
        throw refusal;
      }
      LOG.warnf(
          "job %s/%s: event %s (%s) could not be written: %s",
          job.namespace(), job.name(), event.reason(), event.message(), refusal.getMessage());
    }
  }

  private void writeOne(EventTarget job, JobEvent event) {
    Event object = event(job, event);
    try {
      client.v1().events().resource(object).create();
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw refusal;
      }
      repeat(object);
    }
  }

  /** The same reason again in this attempt: counted, with the newest message. */
  private void repeat(Event again) {
    // By name: given the object itself, the client would take it for what is stored.
    var resource =
        client
            .v1()
            .events()
            .inNamespace(again.getMetadata().getNamespace())
            .withName(again.getMetadata().getName());
    Event existing = resource.get();
    if (existing == null || Objects.equals(existing.getMessage(), again.getMessage())) {
      return;
    }
    resource.edit(
        event ->
            new EventBuilder(event)
                .withMessage(again.getMessage())
                .withLastTimestamp(again.getLastTimestamp())
                .withCount(Objects.requireNonNullElse(event.getCount(), 1) + 1)
                .build());
  }

  private Event event(EventTarget job, JobEvent event) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    String message = event.message();
    return new EventBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(
            job.instance() + "." + event.reason().toLowerCase(Locale.ROOT) + "." + event.attempt())
        .endMetadata()
        .withType(event.warning() ? "Warning" : "Normal")
        .withReason(event.reason())
        .withMessage(
            message.length() > LONGEST_MESSAGE
                ? message.substring(0, LONGEST_MESSAGE - 1) + "…"
                : message)
        .withNewSource()
        .withComponent(Labels.OPERATOR)
        .endSource()
        .withReportingComponent(Labels.OPERATOR)
        .withReportingInstance("")
        .withFirstTimestamp(now)
        .withLastTimestamp(now)
        .withCount(1)
        .withNewInvolvedObject()
        .withApiVersion(job.kind().apiVersion())
        .withKind(job.kind().kind())
        .withNamespace(job.namespace())
        .withName(job.name())
        .withUid(job.uid())
        .endInvolvedObject()
        .build();
  }
}
