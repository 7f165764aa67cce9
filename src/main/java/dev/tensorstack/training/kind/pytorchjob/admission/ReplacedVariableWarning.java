package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.ContainerVariables;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The operator's variables come after the user's, and the last one of a name counts.
 *
 * <p>Warns of: a variable in a container's env that the operator sets to another value.
 */
final class ReplacedVariableWarning implements Warning<PyTorchJobSpec> {

  @Override
  public String id() {
    return "replaced-variable";
  }

  @Override
  public List<String> check(WarningContext<PyTorchJobSpec> job) {
    PyTorchJobSpec spec = job.subject().spec();
    Map<String, String> operators = OperatorVariables.of(spec);
    List<String> texts = new ArrayList<>();
    for (PlacedContainer<ReplicaType> placed : ReplicaFields.containers(spec)) {
      List<String> names = ContainerVariables.differing(placed.container(), operators);
      if (!names.isEmpty()) {
        texts.add(
            placed.path()
                + ".env: the operator sets "
                + String.join(", ", names)
                + (names.size() == 1
                    ? " too, and its value wins: take it out"
                    : " too, and its values win: take them out"));
      }
    }
    return texts;
  }
}
