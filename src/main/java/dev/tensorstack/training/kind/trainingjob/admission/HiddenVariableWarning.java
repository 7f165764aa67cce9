package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.pod.PodEnvironment;
import dev.tensorstack.training.kind.ContainerVariables;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A container's own variable of the same name takes the place of the operator's.
 *
 * <p>Warns of: a variable in a container's env that takes the place of one that the operator sets.
 */
final class HiddenVariableWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "hidden-variable";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    Map<String, String> operators =
        PodEnvironment.variables(
            PodEnvironment.Start.of(spec.torchrunOn(), spec.elasticOn(), spec.debugOn()));
    List<String> texts = new ArrayList<>();
    for (PlacedContainer<ReplicaSpec> placed : PlacedContainers.all(spec)) {
      List<String> hidden = ContainerVariables.differing(placed.container(), operators);
      if (!hidden.isEmpty()) {
        texts.add(
            placed.path()
                + ".env: "
                + String.join(", ", hidden)
                + (hidden.size() == 1
                    ? " takes the place of the operator's: take it out"
                    : " take the place of the operator's: take them out")
                + ", unless the pods are to have another value");
      }
    }
    return texts;
  }
}
