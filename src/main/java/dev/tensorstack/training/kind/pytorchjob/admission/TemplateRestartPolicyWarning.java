package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RestartPolicy;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * It is the replica spec's {@code restartPolicy} that counts, not the template's.
 *
 * <p>Warns of: a template whose restartPolicy is another one than its pods get.
 */
final class TemplateRestartPolicyWarning implements Warning<PyTorchJobSpec> {

  @Override
  public String id() {
    return "template-restart-policy";
  }

  @Override
  public List<String> check(WarningContext<PyTorchJobSpec> job) {
    List<String> texts = new ArrayList<>();
    ReplicaFields.known(job.given())
        .forEach(
            (type, given) -> {
              String written = restartPolicy(given.template());
              String counts = counts(given);
              if (!written.isEmpty() && !written.equals(ofPods(counts))) {
                texts.add(
                    "%s.spec.restartPolicy: \"%s\" is replaced with %s: take it out; what counts is %s.restartPolicy, here %s"
                        .formatted(
                            ReplicaFields.template(type),
                            written,
                            ofPods(counts),
                            ReplicaFields.of(type),
                            counts));
              }
            });
    return texts;
  }

  private static String restartPolicy(@Nullable PodTemplateSpec template) {
    return template == null || template.getSpec() == null
        ? ""
        : Objects.requireNonNullElse(template.getSpec().getRestartPolicy(), "");
  }

  private static String counts(ReplicaSpec given) {
    return given.restartPolicy() == null || given.restartPolicy().isEmpty()
        ? RestartPolicy.OnFailure.name()
        : given.restartPolicy();
  }

  /** The kubelet does not know the policy that looks at exit codes. */
  private static String ofPods(String policy) {
    return policy.equals(RestartPolicy.ExitCode.name()) ? RestartPolicy.Never.name() : policy;
  }
}
