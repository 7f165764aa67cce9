package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.report.JobReport;
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
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * One reconciliation: observe, validate, plan, commit decisions, execute, report. It never waits
 * for a pod or another job. A kind of job is a subclass, with the framework's settings.
 *
 * @param <R> the Java type of the jobs
 */
public abstract class JobReconciler<R extends CustomResource<?, ?>> implements Reconciler<R> {

  private final JobController<R> parts;
  private final JobKind<R> kind;

  /**
   * The controller of one kind.
   *
   * @param parts what it works with
   */
  protected JobReconciler(JobController<R> parts) {
    this.parts = parts;
    this.kind = parts.kind();
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
      return lookAt(resource, context);
    } catch (KubernetesClientException | OperatorException problem) {
      if (ApiProblem.isGone(problem, kind.kind(), resource.getMetadata().getName())) {
        return UpdateControl.noUpdate();
      }
      throw problem;
    } finally {
      parts.leadership().leave();
    }
  }

  private UpdateControl<R> lookAt(R resource, Context<R> context) {
    if (kind.unreadable(resource) != null) {
      parts.unreadable().report(resource);
      return UpdateControl.noUpdate();
    }
    if (!kind.isManagedHere(resource)) {
      parts.leftAlone().report(resource);
      return UpdateControl.noUpdate();
    }
    Instant now = parts.clock().instant();
    JobMemory memory = parts.memories().of(resource.getMetadata(), parts.sources()::exists);
    Duration early = parts.untilDue(resource, memory, now);
    if (!early.isZero()) {
      return reschedule(early);
    }

    // 1. Observe.
    TrainingJob job = kind.read(resource);
    Observation seen =
        parts.sources().observer().observe(job, memory, context.eventSourceRetriever());

    // 2. Validate: the rules that the webhooks apply, for jobs that came while these were down.
    List<Violation> violations =
        memory.checkedSpec().violations(job.generation(), () -> kind.violations(resource));

    // 3. Plan. What is not wanted any more leaves the queue before anything else happens.
    Plan plan = parts.planner().plan(seen, violations, now);
    if (plan.stage() == Plan.Stage.DELETING) {
      parts.executor().cancelAll(job);
      parts.sources().enqueueAt(job, null);
      return UpdateControl.noUpdate();
    }
    if (!parts.executor().cancelUnwanted(seen, plan, memory)) {
      return reschedule(memory.reconcilePace().untilNextLook(now));
    }

    // 4. Commit: a decision is stored before anything follows from it. So is the first status: it
    // proves that the job is as the cache has it, which a creation would have to ask for otherwise.
    JobReport report = JobReport.of(seen, plan);
    R next = kind.reported(resource, job, report, now);
    boolean isNews = !Objects.equals(next.getStatus(), resource.getStatus());
    boolean decision = job.summary() == null || plan.ledger().differsInDecision(job.ledger());
    Duration stale = parts.freshness().untilFresh(resource, seen, plan, memory, decision, isNews);
    if (!stale.isZero()) {
      return reschedule(stale);
    }
    Duration wait = Duration.ZERO;
    if (decision) {
      wait =
          parts.statusWriter().write(resource, next, isNews, context, seen, report, memory, true);
    }

    // 5. Execute.
    parts.executor().execute(seen, plan, memory);

    // 6. Report.
    if (!decision) {
      wait =
          parts.statusWriter().write(resource, next, isNews, context, seen, report, memory, false);
    }
    parts.sources().enqueueAt(job, plan.requeueAt());
    return reschedule(wait);
  }

  @Override
  public ErrorStatusUpdateControl<R> updateErrorStatus(
      R job, Context<R> context, Exception problem) {
    if (!ApiProblem.is(problem)) {
      parts.unreadable().cannotBeReconciled(job, problem);
    }
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }

  /** Zero means that an event will tell when to look again. */
  private UpdateControl<R> reschedule(Duration wait) {
    UpdateControl<R> control = UpdateControl.noUpdate();
    return wait.isZero() ? control : control.rescheduleAfter(wait);
  }
}
