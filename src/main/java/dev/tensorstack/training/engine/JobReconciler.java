package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.util.List;

/**
 * What the framework calls for the jobs of one kind. A {@link Reconciliation} does the work, while
 * this process leads. A kind of job is a subclass, with the framework's settings.
 *
 * @param <R> the Java type of the jobs
 */
public abstract class JobReconciler<R extends CustomResource<?, ?>> implements Reconciler<R> {

  /** The framework waits five seconds for its caches and then calls nevertheless. */
  private static final Duration UNTIL_PODS_ARE_LISTED = Duration.ofSeconds(1);

  private final JobController<R> parts;
  private final JobKind<R> kind;
  private final Reconciliation<R> reconciliation;

  /**
   * The controller of one kind.
   *
   * @param parts what it works with
   */
  protected JobReconciler(JobController<R> parts) {
    this.parts = parts;
    this.kind = parts.kind();
    this.reconciliation = new Reconciliation<>(parts);
  }

  /**
   * The kind of the jobs.
   *
   * @return what the API server calls it
   */
  public ObjectKind kind() {
    return kind.kind();
  }

  /**
   * Its controller is about to be stopped: jobs are neither worked on nor counted until a new
   * controller asks for the event sources.
   */
  public void pause() {
    parts.sources().pause();
  }

  @Override
  public List<EventSource<?, R>> prepareEventSources(EventSourceContext<R> context) {
    return parts.sources().start(context);
  }

  @Override
  public UpdateControl<R> reconcile(R resource, Context<R> context) {
    if (!parts.leadership().enter()) {
      return UpdateControl.noUpdate();
    }
    try {
      if (!parts.sources().observer().hasListedPods(resource.getMetadata().getNamespace())) {
        return UpdateControl.<R>noUpdate().rescheduleAfter(UNTIL_PODS_ARE_LISTED);
      }
      Duration wait = reconciliation.of(resource, context);
      UpdateControl<R> control = UpdateControl.noUpdate();
      return wait.isZero() ? control : control.rescheduleAfter(wait);
    } catch (KubernetesClientException | OperatorException problem) {
      if (ApiProblem.isGone(problem, kind.kind(), resource.getMetadata().getName())) {
        return UpdateControl.noUpdate();
      }
      throw problem;
    } finally {
      parts.leadership().leave();
    }
  }

  @Override
  public ErrorStatusUpdateControl<R> updateErrorStatus(
      R job, Context<R> context, Exception problem) {
    if (!ApiProblem.is(problem)) {
      parts.unreadable().cannotBeReconciled(job, problem);
    }
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }
}
