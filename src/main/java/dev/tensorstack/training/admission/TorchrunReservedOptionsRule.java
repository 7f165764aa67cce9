package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.TorchrunConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Options that the operator sets are not given a second time. */
final class TorchrunReservedOptionsRule implements Rule {

  /** Each reserved option with the field to use instead. */
  private static final Map<String, String> RESERVED =
      Map.of(
          "nnodes", "replicaSpecs[].replicas or elastic",
          "nproc-per-node", "torchrunConfig.procPerNode",
          "rdzv-backend", "torchrunConfig.rdzvBackend",
          "rdzv-id", "nothing: the operator gives each attempt an id of its own",
          "max-restarts", "torchrunConfig.maxRestarts",
          "node-rank", "nothing: the operator numbers the pods",
          "role", "nothing: the role is the replica's type",
          "master-addr", "nothing: the operator gives the master's address",
          "master-port", "nothing: the operator gives the master's port",
          "standalone", "a job of one replica");

  @Override
  public String id() {
    return "torchrun-reserved-options";
  }

  @Override
  public List<Violation> check(Subject subject) {
    TorchrunConfig torchrun = subject.spec().torchrunConfig();
    List<Violation> violations = new ArrayList<>();
    if (torchrun == null || torchrun.extraOptions() == null) {
      return violations;
    }
    for (int i = 0; i < torchrun.extraOptions().size(); i++) {
      String option = TorchrunOptions.nameOf(torchrun.extraOptions().get(i));
      String instead = option == null ? null : RESERVED.get(option);
      if (instead != null) {
        violations.add(
            new Violation(
                id(),
                "spec.torchrunConfig.extraOptions[" + i + "]",
                Violation.Reason.FieldValueForbidden,
                "--" + option + " is set by the operator: take it out and use " + instead));
      }
    }
    return violations;
  }
}
