package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.spec.TrainingContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.Container;
import java.util.List;

/**
 * Each replica spec has a template with a container that trains, and all its containers have
 * images.
 *
 * <p>Refuses: a replica spec without a template, or whose template has no container, none named
 * {@value TrainingContainer#NAME}, or one without an image.
 */
final class TemplateContainersRule implements Rule<PyTorchJobSpec> {

  @Override
  public String id() {
    return "template-containers";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    ReplicaFields.known(subject.spec())
        .forEach((type, replicas) -> check(check, ReplicaFields.template(type), replicas));
    return check.violations();
  }

  private static void check(FieldCheck check, String template, ReplicaSpec replicas) {
    if (replicas.template() == null) {
      check.add(
          template,
          FieldValueRequired,
          "give the pod to run, with a container named " + TrainingContainer.NAME);
      return;
    }
    String path = template + ".spec.containers";
    List<Container> containers = PlacedContainer.containers(replicas.template());
    if (containers.isEmpty()) {
      check.add(
          path,
          FieldValueRequired,
          "give at least one container; the one named " + TrainingContainer.NAME + " trains");
      return;
    }
    if (TrainingContainer.of(replicas.template()) == null) {
      check.add(
          path,
          FieldValueRequired,
          "none is named " + TrainingContainer.NAME + ": give the container that trains this name");
    }
    for (int i = 0; i < containers.size(); i++) {
      String image = containers.get(i) == null ? null : containers.get(i).getImage();
      if (image == null || image.isBlank()) {
        check.add(path + "[" + i + "].image", FieldValueRequired, "name the image to run");
      }
    }
  }
}
