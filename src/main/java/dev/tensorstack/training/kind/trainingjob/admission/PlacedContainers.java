package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.policy.TrainingContainer;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The containers of a job's templates and where they stand. */
final class PlacedContainers {

  private PlacedContainers() {}

  /** The training container of each type that has one. */
  static List<PlacedContainer<ReplicaSpec>> training(PyTorchTrainingJobSpec spec) {
    List<PlacedContainer<ReplicaSpec>> found = new ArrayList<>();
    List<ReplicaSpec> types = types(spec);
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      List<Container> containers = PlacedContainer.containers(type.template());
      int at = TrainingContainer.indexIn(containers);
      if (!containers.isEmpty() && containers.get(at) != null) {
        found.add(
            new PlacedContainer<>(
                templateOf(i) + ".spec.containers[" + at + "]", type, containers.get(at)));
      }
    }
    return found;
  }

  /** All containers, of each type the init containers first. */
  static List<PlacedContainer<ReplicaSpec>> all(PyTorchTrainingJobSpec spec) {
    List<PlacedContainer<ReplicaSpec>> found = new ArrayList<>();
    List<ReplicaSpec> types = types(spec);
    for (int i = 0; i < types.size(); i++) {
      found.addAll(PlacedContainer.all(templateOf(i), types.get(i), types.get(i).template()));
    }
    return found;
  }

  /** The entries of replicaSpecs; what is null there is an entry without anything. */
  static List<ReplicaSpec> types(PyTorchTrainingJobSpec spec) {
    return Objects.requireNonNullElse(spec.replicaSpecs(), List.<ReplicaSpec>of()).stream()
        .map(type -> type == null ? new ReplicaSpec(null, null, null, null, null) : type)
        .toList();
  }

  /** Where the template of an entry of replicaSpecs stands. */
  static String templateOf(int index) {
    return "spec.replicaSpecs[" + index + "].template";
  }
}
