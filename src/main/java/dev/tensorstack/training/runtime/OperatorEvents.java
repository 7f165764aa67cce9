package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.Labels;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Events about the operator itself, on its own pod. */
final class OperatorEvents {

  private static final Logger LOG = Logger.getLogger(OperatorEvents.class);

  private final KubernetesClient client;
  private final Clock clock;
  private final Optional<OwnPod> pod;

  /**
   * Events on a pod.
   *
   * @param client writes them
   * @param clock the time
   * @param pod where they are written; empty: nowhere
   */
  OperatorEvents(KubernetesClient client, Clock clock, Optional<OwnPod> pod) {
    this.client = client;
    this.clock = clock;
    this.pod = pod;
  }

  /**
   * Writes a Warning. One that cannot be written is logged and holds nothing up.
   *
   * @param reason one word
   * @param message a sentence
   */
  void warn(String reason, String message) {
    pod.ifPresent(
        own -> {
          try {
            client.resource(event(own, reason, message)).create();
          } catch (KubernetesClientException refusal) {
            LOG.warnf(
                "event %s (%s) could not be written: %s", reason, message, refusal.getMessage());
          }
        });
  }

  private Event event(OwnPod own, String reason, String message) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withNamespace(own.namespace())
        .withGenerateName(own.name() + ".")
        .endMetadata()
        .withType("Warning")
        .withReason(reason)
        .withMessage(message)
        .withNewSource()
        .withComponent(Labels.OPERATOR)
        .endSource()
        .withReportingComponent(Labels.OPERATOR)
        .withReportingInstance(own.name())
        .withFirstTimestamp(now)
        .withLastTimestamp(now)
        .withCount(1)
        .withNewInvolvedObject()
        .withApiVersion("v1")
        .withKind("Pod")
        .withNamespace(own.namespace())
        .withName(own.name())
        .withUid(own.uid())
        .endInvolvedObject()
        .build();
  }
}
