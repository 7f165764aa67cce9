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
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Puts the answers to writes where the next reconciliation finds them. */
final class WriteResults<R extends CustomResource<?, ?>>
    implements ActionExecutor.WriteListener, DependentWriter.Listener, PodUnpublisher.Listener {

  private static final Logger LOG = Logger.getLogger(WriteResults.class);

  private final JobMetrics metrics;
  private final EventWriter events;
  private final Supplier<@Nullable JobObserver<R>> observer;
  private final Consumer<TrainingJob> enqueue;

  /**
   * Answers of one controller.
   *
   * @param observer knows the caches; there before anything is written
   * @param enqueue is told a job of which more is known now
   */
  WriteResults(
      JobMetrics metrics,
      EventWriter events,
      Supplier<@Nullable JobObserver<R>> observer,
      Consumer<TrainingJob> enqueue) {
    this.metrics = metrics;
    this.events = events;
    this.observer = observer;
    this.enqueue = enqueue;
  }

  private JobObserver<R> observer() {
    return Objects.requireNonNull(observer.get());
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
    observer().remember(pod);
    metrics.podCreated();
  }

  @Override
  public void podFound(Pod pod) {
    observer().remember(pod);
  }

  @Override
  public void written(ObjectKind kind, GenericKubernetesResource answer) {
    observer().remember(kind, answer);
  }

  @Override
  public void podDeleted() {
    metrics.podDeleted();
  }

  @Override
  public void enqueue(TrainingJob job) {
    enqueue.accept(job);
  }
}
