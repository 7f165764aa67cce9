package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.BoundedQuantity;
import dev.tensorstack.training.core.model.Violation;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the quantities that an API server cannot read. It says only that there is one, not where
 * (k8s.io/apimachinery, pkg/api/resource, {@code ErrFormatWrong}).
 */
final class MalformedQuantities {

  private MalformedQuantities() {}

  /**
   * Finds those in requests and limits.
   *
   * @param path the pod, and where its fields come from
   * @return one violation for each, with the field of the job; empty when there is none
   */
  static List<Violation> in(TemplatePath path) {
    List<Violation> found = new ArrayList<>();
    PodSpec spec = path.pod().getSpec();
    check(found, path, "spec.initContainers", spec.getInitContainers());
    check(found, path, "spec.containers", spec.getContainers());
    return found;
  }

  private static void check(
      List<Violation> found, TemplatePath path, String list, List<Container> containers) {
    for (int i = 0; i < containers.size(); i++) {
      if (containers.get(i).getResources() != null) {
        String resources = list + "[" + i + "].resources.";
        check(found, path, resources + "limits", containers.get(i).getResources().getLimits());
        check(found, path, resources + "requests", containers.get(i).getResources().getRequests());
      }
    }
  }

  private static void check(
      List<Violation> found,
      TemplatePath path,
      String field,
      @Nullable Map<String, Quantity> quantities) {
    if (quantities == null) {
      return;
    }
    quantities.forEach(
        (resource, quantity) -> {
          String text = quantity == null ? "" : quantity.toString();
          if (!BoundedQuantity.isWellFormed(text)) {
            found.add(
                new Violation(
                    PodAnswer.RULE,
                    path.of(field + "[" + resource + "]"),
                    Violation.Reason.FieldValueInvalid,
                    "\"" + text + "\" is no quantity: write for example 2, 500m or 16Gi"));
          }
        });
  }
}
