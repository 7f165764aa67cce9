package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Autoscalers count requests: an elastic job without any looks as if it needed nothing.
 *
 * <p>Warns of: an elastic job with a type none of whose containers requests resources.
 */
final class NoRequestsWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "no-requests";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    List<String> texts = new ArrayList<>();
    if (!spec.elasticOn()) {
      return texts;
    }
    for (PlacedContainer<ReplicaSpec> training : PlacedContainers.training(spec)) {
      if (!requestsAnything(training.type())) {
        texts.add(
            training.path()
                + ".resources.requests: nothing is requested, so autoscalers cannot see what a node"
                + " of type \""
                + training.type().type()
                + "\" needs: write cpu and memory");
      }
    }
    return texts;
  }

  private static boolean requestsAnything(ReplicaSpec type) {
    PodSpec pod = type.template().getSpec();
    return any(pod.getResources())
        || pod.getContainers().stream()
            .anyMatch(container -> container != null && any(container.getResources()));
  }

  /** A limit is a request where none is given. */
  private static boolean any(@Nullable ResourceRequirements resources) {
    return resources != null && (any(resources.getRequests()) || any(resources.getLimits()));
  }

  private static boolean any(@Nullable Map<String, Quantity> resources) {
    return resources != null && !resources.isEmpty();
  }
}
