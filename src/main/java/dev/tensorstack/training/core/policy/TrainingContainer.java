package dev.tensorstack.training.core.policy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.Objects;

/** Which container of a pod trains: the one of a certain name, else the first. */
public final class TrainingContainer {

  /** Its name in the kind PyTorchTrainingJob. */
  private static final String NAME = "python";

  private TrainingContainer() {}

  /**
   * The position of the training container.
   *
   * @param containers the pod's containers
   * @return its index in the list, 0 for an empty list
   */
  public static int indexIn(List<Container> containers) {
    return indexIn(containers, NAME);
  }

  /**
   * The position of the training container.
   *
   * @param containers the pod's containers
   * @param name the name that the kind of job gives it
   * @return its index in the list, 0 for an empty list
   */
  public static int indexIn(List<Container> containers, String name) {
    for (int i = 0; i < containers.size(); i++) {
      if (containers.get(i) != null && name.equals(containers.get(i).getName())) {
        return i;
      }
    }
    return 0;
  }

  /**
   * The training container of a template.
   *
   * @param template a pod template with at least one container
   * @return the container; an empty one where the list has a null
   */
  public static Container of(PodTemplateSpec template) {
    List<Container> containers = template.getSpec().getContainers();
    return Objects.requireNonNullElseGet(containers.get(indexIn(containers)), Container::new);
  }
}
