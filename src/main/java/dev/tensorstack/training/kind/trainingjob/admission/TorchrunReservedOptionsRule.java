package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.pod.TorchrunOptions;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the operator sets, options and the script, is not given a second time.
 *
 * <p>Refuses: extraOptions that the operator sets, in any spelling that torchrun accepts, or that
 * torchrun would take for the script.
 */
final class TorchrunReservedOptionsRule implements Rule<PyTorchTrainingJobSpec> {

  /** Each reserved option with what to do instead. */
  private static final Map<String, String> RESERVED =
      Map.of(
          "nnodes", "use replicaSpecs[].replicas, or elastic",
          "nproc-per-node", "use torchrunConfig.procPerNode",
          "rdzv-backend", "use torchrunConfig.rdzvBackend",
          "rdzv-id", "each attempt has an id of its own",
          "max-restarts", "use torchrunConfig.maxRestarts",
          "node-rank", "the pods are numbered in the order of replicaSpecs",
          "role", "the role is the replica's type",
          "master-addr", "the master is index 0 of the first replicaSpec",
          "master-port", "the master's port is always the same",
          "standalone", "a job of one replica needs no such option");

  @Override
  public String id() {
    return "torchrun-reserved-options";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    TorchrunConfig torchrun = subject.spec().torchrunConfig();
    List<Violation> violations = new ArrayList<>();
    if (torchrun == null || torchrun.extraOptions() == null) {
      return violations;
    }
    for (int i = 0; i < torchrun.extraOptions().size(); i++) {
      String option = TorchrunOptions.nameOf(torchrun.extraOptions().get(i));
      if (TorchrunOptions.isScript(torchrun.extraOptions(), i)) {
        violations.add(
            new Violation(
                id(),
                "spec.torchrunConfig.extraOptions[" + i + "]",
                Violation.Reason.FieldValueForbidden,
                "torchrun would take '"
                    + torchrun.extraOptions().get(i)
                    + "' for the script: take it out; the script and its arguments belong into the"
                    + " args of the training container"));
        return violations;
      }
      String instead = option == null ? null : RESERVED.get(option);
      if (instead != null) {
        violations.add(
            new Violation(
                id(),
                "spec.torchrunConfig.extraOptions[" + i + "]",
                Violation.Reason.FieldValueForbidden,
                "--" + option + " is set by the operator: take it out; " + instead));
      }
    }
    return violations;
  }
}
