package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * One reconciliation: observe, validate, plan, commit decisions, execute, report. It never waits
 * for a pod or another job.
 *
 * @param <R> the Java type of the jobs
 */
final class Reconciliation<R extends CustomResource<?, ?>> {

  private final JobController<R> parts;
  private final JobKind<R> kind;

  /**
   * Of the jobs of one kind.
   *
   * @param parts what it works with
   */
  Reconciliation(JobController<R> parts) {
    this.parts = parts;
    this.kind = parts.kind();
  }

  /**
   * Looks at a job and does what it needs now.
   *
   * @param resource the job as the cache has it
   * @return how long to wait for the next look; zero when an event will tell when it is time
   * @throws KubernetesClientException when the API server refuses or is away
   */
  Duration of(R resource, Context<R> context) {
    // Another one's status may be one that this operator cannot read: that is not its matter.
    if (!kind.isManagedHere(resource)) {
      parts.leftAlone().report(resource);
      return Duration.ZERO;
    }
    if (kind.unreadable(resource) != null) {
      parts.unreadable().report(resource);
      return Duration.ZERO;
    }
    Instant now = parts.clock().instant();
    JobMemory memory = parts.memories().of(resource.getMetadata(), parts.sources()::exists);
    Duration early = parts.untilDue(resource, memory, now);
    if (!early.isZero()) {
      return early;
    }

    // 1. Observe.
    TrainingJob job = parts.readings().read(resource);
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
      return Duration.ZERO;
    }
    if (!parts.executor().cancelUnwanted(seen, plan, memory)) {
      return memory.reconcilePace().untilNextLook(now);
    }

    // 4. Commit: a decision is stored before anything follows from it. So is the first status: it
    // proves that the job is as the cache has it, which a creation would have to ask for otherwise.
    JobReport report = JobReport.of(seen, plan);
    R next = kind.reported(resource, job, report, now);
    boolean isNews = !Objects.equals(next.getStatus(), resource.getStatus());
    boolean decision = job.summary() == null || plan.ledger().differsInDecision(job.ledger());
    Duration stale = parts.freshness().untilFresh(resource, seen, plan, memory, decision, isNews);
    if (!stale.isZero()) {
      return stale;
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
    return wait;
  }
}
