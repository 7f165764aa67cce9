package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The operator restarts pods, not the kubelet: a template's {@code restartPolicy} is not kept.
 *
 * <p>Warns of: a template whose restartPolicy is another one than Never, and is replaced.
 */
final class TemplateRestartPolicyWarning implements Warning<PyTorchTrainingJobSpec> {

  private static final String NEVER = "Never";

  @Override
  public String id() {
    return "template-restart-policy";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    List<String> texts = new ArrayList<>();
    List<ReplicaSpec> types = PlacedContainers.types(job.given());
    for (int i = 0; i < types.size(); i++) {
      ReplicaSpec type = types.get(i);
      String policy =
          type.template() == null || type.template().getSpec() == null
              ? null
              : type.template().getSpec().getRestartPolicy();
      if (policy != null && !policy.isEmpty() && !policy.equals(NEVER)) {
        String entry = "spec.replicaSpecs[" + i + "].";
        texts.add(
            entry
                + "template.spec.restartPolicy: \""
                + policy
                + "\" is replaced with Never: take it out; what counts is "
                + entry
                + "restartPolicy, here "
                + Objects.requireNonNullElse(type.restartPolicy(), NEVER));
      }
    }
    return texts;
  }
}
