package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.engine.ReportAvailability;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Since when the leader has heard the trainings' reports, as an annotation of the Lease. The next
 * leader reads there what it may take for a silence of a training, and what was its predecessor's.
 */
final class HeardReports {

  /** An RFC 3339 time, and the identity of the one that has heard, with a space between. */
  static final String ANNOTATION = "batch.tensorstack.dev/reports-heard-since";

  private static final Logger LOG = Logger.getLogger(HeardReports.class);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  /** While reports are turned away, the time moves on with each. */
  private static final Duration BETWEEN_WRITES = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final String namespace;
  private final String lease;
  private final String identity;
  private @Nullable Instant written;
  private boolean isWritten;
  private Instant nextWrite = Instant.MIN;

  /**
   * Writes nothing yet.
   *
   * @param namespace the Lease's namespace
   * @param lease the Lease's name
   * @param identity that of this process
   */
  HeardReports(KubernetesClient client, String namespace, String lease, String identity) {
    this.client = client;
    this.namespace = namespace;
    this.lease = lease;
    this.identity = identity;
  }

  /**
   * What a Lease says.
   *
   * @return since when its holder, or the one that has given it back, has heard all reports; {@link
   *     Instant#MAX} when it does not say
   */
  static Instant since(Lease lease) {
    Map<String, String> annotations = lease.getMetadata().getAnnotations();
    String text = annotations == null ? null : annotations.get(ANNOTATION);
    String[] parts = text == null ? new String[0] : text.split(" ", -1);
    String holder = Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
    if (parts.length != 2 || !(holder.isEmpty() || holder.equals(parts[1]))) {
      return Instant.MAX;
    }
    try {
      return Instant.parse(parts[0]);
    } catch (DateTimeParseException changedBySomebody) {
      return Instant.MAX;
    }
  }

  /**
   * Looks every few seconds, for as long as the process lives, and writes what has changed.
   *
   * @param holds whether this process holds the Lease
   */
  void start(ReportAvailability availability, BooleanSupplier holds) {
    Executors.newSingleThreadScheduledExecutor(new DaemonThreads("heard-reports"))
        .scheduleWithFixedDelay(
            () -> look(availability, holds), 0, BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look(ReportAvailability availability, BooleanSupplier holds) {
    try {
      Instant since = availability.heardSince();
      if (holds.getAsBoolean()) {
        write(since, Instant.now());
      }
    } catch (RuntimeException mistake) {
      // Another one would end the schedule.
      LOG.warnf(mistake, "whether reports are heard");
    }
  }

  /** Writes it, unless it stands there, or it is too early. */
  void write(@Nullable Instant since, Instant now) {
    boolean isNews = !isWritten || (since == null) != (written == null);
    if ((isWritten && Objects.equals(since, written)) || (!isNews && now.isBefore(nextWrite))) {
      return;
    }
    nextWrite = now.plus(BETWEEN_WRITES);
    String value = since == null ? "null" : "\"" + since + " " + identity + "\"";
    try {
      client
          .leases()
          .inNamespace(namespace)
          .withName(lease)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"metadata\":{\"annotations\":{\"" + ANNOTATION + "\":" + value + "}}}");
      written = since;
      isWritten = true;
    } catch (RuntimeException refused) {
      LOG.debugf("the Lease does not say since when reports are heard: %s", refused.getMessage());
    }
  }
}
