package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.policy.TrainingContainer;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A container of a template and where it stands.
 *
 * @param path for example {@code spec.replicaSpecs[0].template.spec.containers[1]}
 * @param type the replica type that it belongs to
 * @param container the container
 */
record PlacedContainer(String path, ReplicaSpec type, Container container) {

  /** The training container of each type that has one. */
  static List<PlacedContainer> training(PyTorchTrainingJobSpec spec) {
    List<PlacedContainer> found = new ArrayList<>();
    List<ReplicaSpec> types = types(spec);
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      if (hasSpec(type) && !containers(type).isEmpty()) {
        int at = TrainingContainer.indexIn(containers(type));
        add(found, templateOf(i) + "containers[" + at + "]", type, containers(type).get(at));
      }
    }
    return found;
  }

  /** All containers, of each type the init containers first. */
  static List<PlacedContainer> all(PyTorchTrainingJobSpec spec) {
    List<PlacedContainer> found = new ArrayList<>();
    List<ReplicaSpec> types = types(spec);
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      if (hasSpec(type)) {
        add(found, templateOf(i) + "initContainers", type, initContainers(type));
        add(found, templateOf(i) + "containers", type, containers(type));
      }
    }
    return found;
  }

  /** The entries of replicaSpecs; what is null there is an entry without anything. */
  static List<ReplicaSpec> types(PyTorchTrainingJobSpec spec) {
    return Objects.requireNonNullElse(spec.replicaSpecs(), List.<ReplicaSpec>of()).stream()
        .map(type -> type == null ? new ReplicaSpec(null, null, null, null, null) : type)
        .toList();
  }

  private static boolean hasSpec(ReplicaSpec type) {
    return type.template() != null && type.template().getSpec() != null;
  }

  private static List<Container> containers(ReplicaSpec type) {
    return Objects.requireNonNullElse(type.template().getSpec().getContainers(), List.of());
  }

  private static List<Container> initContainers(ReplicaSpec type) {
    return Objects.requireNonNullElse(type.template().getSpec().getInitContainers(), List.of());
  }

  private static String templateOf(int index) {
    return "spec.replicaSpecs[" + index + "].template.spec.";
  }

  private static void add(
      List<PlacedContainer> found, String path, ReplicaSpec type, List<Container> containers) {
    for (int i = 0; i < containers.size(); i++) {
      add(found, path + "[" + i + "]", type, containers.get(i));
    }
  }

  private static void add(
      List<PlacedContainer> found, String path, ReplicaSpec type, @Nullable Container container) {
    if (container != null) {
      found.add(new PlacedContainer(path, type, container));
    }
  }
}
