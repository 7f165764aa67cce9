package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.KubernetesGang;
import dev.tensorstack.training.kind.EnumNames;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A gang whose pods go to different schedulers is complete for none of them.
 *
 * <p>Warns of: a gang whose templates name different schedulers, so that no pod is ever placed.
 */
final class SeveralSchedulersWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "several-schedulers";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    Scheduler scheduler = spec.scheduler();
    if (scheduler == null || spec.replicaSpecs() == null) {
      return List.of();
    }
    String member;
    String unnamed;
    if (scheduler.coscheduling() != null && scheduler.coscheduling().schedulerName() == null) {
      member = "coscheduling";
      unnamed = CoschedulingGang.SCHEDULER_NAME;
    } else if (scheduler.kubernetes() != null) {
      member = "kubernetes";
      unnamed = KubernetesGang.SCHEDULER_NAME;
    } else {
      return List.of();
    }
    Set<String> names = new LinkedHashSet<>();
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (type != null && type.template() != null && type.template().getSpec() != null) {
        String name = requireNonNullElse(type.template().getSpec().getSchedulerName(), "");
        names.add(name.isEmpty() || name.equals(KubernetesGang.SCHEDULER_NAME) ? unnamed : name);
      }
    }
    return names.size() < 2
        ? List.of()
        : List.of(
            "spec.scheduler."
                + member
                + ": the pods would go to the schedulers "
                + EnumNames.quoted(new ArrayList<>(names))
                + " and wait for each other for ever: write the same schedulerName in all"
                + " templates");
  }
}
