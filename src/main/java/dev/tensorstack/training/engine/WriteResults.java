package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;

/** Puts the answers to writes where the next reconciliation finds them. */
final class WriteResults<R extends CustomResource<?, ?>>
    implements ActionExecutor.WriteListener, DependentWriter.Listener, PodUnpublisher.Listener {

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
    events.tell(job, Events.CREATE_FAILED, message);
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
