package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobEvent;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.jboss.logging.Logger;

/** Puts the answers to writes where the next reconciliation finds them. */
final class WriteResults<R extends CustomResource<?, ?>>
    implements ActionExecutor.WriteListener, DependentWriter.Listener, PodUnpublisher.Listener {

  private static final Logger LOG = Logger.getLogger(WriteResults.class);

  private final JobMetrics metrics;
  private final EventWriter events;
  private final JobEventSources<R> sources;

  /**
   * The results of one kind's writes.
   *
   * @param sources have the caches, and are told a job of which more is known now
   */
  WriteResults(JobMetrics metrics, EventWriter events, JobEventSources<R> sources) {
    this.metrics = metrics;
    this.events = events;
    this.sources = sources;
  }

  @Override
  public void stillPublished(TrainingJob job, String message) {
    int attempt = job.ledger().counts().attempt();
    try {
      events.write(
          EventTarget.of(job), List.of(new JobEvent(Events.CREATE_FAILED, true, attempt, message)));
    } catch (KubernetesClientException away) {
      LOG.warnf("the event about it could not be written: %s", away.getMessage());
    }
  }

  @Override
  public void podCreated(Pod pod) {
    sources.observer().remember(pod);
    metrics.podCreated();
  }

  @Override
  public void podFound(Pod pod) {
    sources.observer().remember(pod);
  }

  @Override
  public void written(ObjectKind kind, GenericKubernetesResource answer) {
    sources.observer().remember(kind, answer);
  }

  @Override
  public void podDeleted() {
    metrics.podDeleted();
  }

  @Override
  public void enqueue(TrainingJob job) {
    sources.enqueue(job);
  }
}
