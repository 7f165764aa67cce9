package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A job has one master, index 0 of the first type, whatever the types are called.
 *
 * <p>Warns of: a type named master with more than one replica.
 */
final class SeveralMastersWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "several-masters";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    List<String> texts = new ArrayList<>();
    List<ReplicaSpec> types = PlacedContainers.types(job.subject().spec());
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      if ("master".equals(type.type()) && type.replicas() != null && type.replicas() > 1) {
        texts.add(
            "spec.replicaSpecs["
                + i
                + "].replicas: "
                + type.replicas()
                + " of type master, but a job has one master, "
                + types.get(0).type()
                + "-0: write 1, and give the others a type of their own, e.g. worker");
      }
    }
    return texts;
  }
}
