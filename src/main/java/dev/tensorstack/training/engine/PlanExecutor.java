package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.CurrentReplicas;
import dev.tensorstack.training.core.plan.Gang;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.QueueState;
import dev.tensorstack.training.core.pod.PodFactory;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.List;
import java.util.Objects;

/** Hands the writes of plans to the queue, and takes back those that no plan wants any more. */
final class PlanExecutor {

  private final EngineServices services;
  private final ActionExecutor pods;
  private final DependentWriter dependents;
  private final PodUnpublisher unpublisher;
  private final PodEnder ender;

  /**
   * An executor of one kind.
   *
   * @param sources know whether a job is still there
   * @param results are told the answers
   */
  PlanExecutor(EngineServices services, JobEventSources<?> sources, WriteResults<?> results) {
    this.services = services;
    this.pods =
        new ActionExecutor(
            services.client(), services.writes(), services.clock(), results, sources::isThere);
    this.dependents =
        new DependentWriter(
            services.client(), services.writes(), services.clock(), results, sources::isThere);
    this.unpublisher =
        new PodUnpublisher(
            services.client(), services.writes(), services.clock(), results, sources::isThere);
    this.ender =
        new PodEnder(
            services.client(),
            services.writes(),
            services.clock(),
            (job, moment) ->
                sources.enqueueAlsoAt(new ResourceID(job.name(), job.namespace()), moment),
            sources::isThere);
  }

  /** Takes back all that waits: the job is being deleted, and Kubernetes collects what it owns. */
  void cancelAll(TrainingJob job) {
    pods.cancelAll(job);
    dependents.cancelUnwanted(job, List.of());
    unpublisher.cancelUnwanted(job, List.of());
    ender.cancelUnwanted(job, List.of());
  }

  /**
   * Takes back what waits and is not wanted any more, and forgets its refusals.
   *
   * @return false when something has begun since the look that is not wanted: the plan knows
   *     nothing of it, and has to be made anew
   */
  boolean cancelUnwanted(Observation seen, Plan plan, JobMemory memory) {
    memory.refusals().forget(seen.refused(), plan.refused());
    dependents.cancelUnwanted(seen.job(), plan.actions());
    unpublisher.cancelUnwanted(seen.job(), plan.actions());
    ender.cancelUnwanted(seen.job(), plan.actions());
    return pods.cancelUnwanted(seen.job(), memory, plan.actions());
  }

  /** Hands over all writes of a plan and returns at once. */
  void execute(Observation seen, Plan plan, JobMemory memory) {
    if (plan.actions().isEmpty()) {
      return;
    }
    TrainingJob job = seen.job();
    pods.execute(job, memory, plan.actions(), () -> podFactory(seen, plan));
    dependents.execute(job, memory.dependents(), plan.actions());
    unpublisher.execute(job, memory.unpublishing(), plan.actions());
    ender.execute(job, memory.ends(), plan.actions());
  }

  private PodFactory podFactory(Observation seen, Plan plan) {
    CurrentReplicas replicas = Objects.requireNonNull(plan.current());
    return new PodFactory(
        seen.job(),
        replicas.layout(),
        services.settings().accelerators(),
        Gang.ofNewPods(seen, replicas),
        QueueState.of(seen).place(replicas),
        services.progress().get());
  }
}
