package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;

/** All that must hold of a PyTorchJob, asked at the moments when it can break; one a class. */
final class PyTorchJobInvariants implements Oracle {

  private final Cluster cluster;
  private final Memory memory = new Memory();
  private final InPlaceCounts inPlace = new InPlaceCounts();
  private final PyTorchJobPlaces places = new PyTorchJobPlaces();
  private final Delays delays = new Delays();
  private final PyTorchJobSuspension suspension = new PyTorchJobSuspension();

  PyTorchJobInvariants(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public JobLook look(View view, SimulatedJob next) {
    return new PyTorchJobLook(cluster, view, next);
  }

  @Override
  public void newOperator() {
    memory.newOperator();
  }

  @Override
  public void planned(Step step) {
    PyTorchJobLook look = (PyTorchJobLook) step.look();
    if (!look.isCurrent(cluster)) {
      // Its cache is behind: what it decides now is refused with a conflict.
      return;
    }
    memory.planned(look);
    decided(look);
    PyTorchJobActivePods.check(look);
  }

  private void decided(PyTorchJobLook look) {
    PyTorchJobEnd.check(look);
    PyTorchJobConditions.check(look);
    suspension.check(look);
    PyTorchJobStartTime.check(look);
    PyTorchJobOutcomes.check(look, memory, inPlace);
    PyTorchJobReplacements.check(look, memory);
    PyTorchJobCounts.check(look, memory, inPlace);
    PyTorchJobMessage.check(look, memory);
    PyTorchJobWorkers.check(look);
  }

  @Override
  public void stored(Step step) {
    PyTorchJobLook look = (PyTorchJobLook) step.look();
    if (look.before.pausing() && !look.after.pausing()) {
      delays.resumed();
    }
    delays.stored(look, memory);
    places.stored(look);
    suspension.stored(look);
    inPlace.stored(look);
  }

  @Override
  public void sent(PlannedAction action, Step step) {
    PyTorchJobLook look = (PyTorchJobLook) step.look();
    boolean current = look.isCurrent(cluster) || look.after == cluster.job().stated();
    if (current) {
      DecisionFirst.check(action, look, cluster.job().stated());
    }
    if (action instanceof PlannedAction.CreatePod create) {
      PyTorchJobCreations.check(create, look);
      places.sent(create, step.view(), current);
      delays.sent(create, look);
    } else if (action instanceof PlannedAction.DeletePod delete) {
      PyTorchJobDeletions.check(delete, look, cluster);
    } else if (action instanceof PlannedAction.DeleteJob) {
      PyTorchJobDeletion.check(look);
    }
  }

  /** The API server gives a name once: two pods of a replica cannot be. */
  @Override
  public void created(SimulatedPod pod, boolean senderLives) {}

  @Override
  public void always() {}

  @Override
  public void asleep(Operator operator) {
    PyTorchJobTimers.check(cluster, operator, memory);
  }

  @Override
  public void atRest(Operator operator) {
    JobVersion job = cluster.job();
    if (!job.exists()) {
      DeletedAtRest.check(cluster);
      return;
    }
    Rest.check(cluster, operator);
    // Nothing was left undecided either, however long it waits.
    decided((PyTorchJobLook) operator.look(cluster.now().plus(Duration.ofDays(1))));
    if (job.stated().ended()) {
      PyTorchJobEndedAtRest.check(cluster);
    } else if (PyTorchJobResource.of(job).spec().suspended()) {
      PyTorchJobSuspendedAtRest.check(cluster);
    } else {
      PyTorchJobActiveAtRest.check(cluster);
    }
  }
}
