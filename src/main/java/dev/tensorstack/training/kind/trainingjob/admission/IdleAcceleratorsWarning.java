package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ProcessesPerNode;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * With fewer processes than accelerators, some of them are reserved for nothing.
 *
 * <p>Warns of: a procPerNode smaller than the number of accelerators of a training container.
 */
final class IdleAcceleratorsWarning implements Warning<PyTorchTrainingJobSpec> {

  private final AcceleratorResources accelerators;

  IdleAcceleratorsWarning(AcceleratorResources accelerators) {
    this.accelerators = accelerators;
  }

  @Override
  public String id() {
    return "idle-accelerators";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    List<String> texts = new ArrayList<>();
    TorchrunConfig torchrun = job.subject().spec().torchrunConfig();
    if (torchrun == null || !torchrun.on()) {
      return texts;
    }
    String value = ProcessesPerNode.text(torchrun.procPerNode());
    if (!value.matches("[0-9]{1,6}")) {
      return texts;
    }
    int processes = Integer.parseInt(value);
    for (PlacedContainer<ReplicaSpec> training : PlacedContainers.training(job.subject().spec())) {
      int count = accelerators.count(training.container());
      if (processes > 0 && processes < count) {
        texts.add(
            "spec.torchrunConfig.procPerNode: "
                + processes
                + (processes == 1 ? " process" : " processes")
                + " on each node of type \""
                + training.type().type()
                + "\", which asks for "
                + count
                + " accelerators: write gpu to use all, or ask for fewer");
      }
    }
    return texts;
  }
}
