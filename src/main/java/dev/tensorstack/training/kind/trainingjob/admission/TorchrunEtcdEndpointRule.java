package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.pod.TorchrunOptions;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import java.util.List;
import java.util.Objects;

/**
 * A rendezvous in etcd needs the address of that etcd; any other is the operator's to set.
 *
 * <p>Refuses: etcd or etcd-v2 without --rdzv_endpoint in extraOptions, or that option with another
 * backend.
 */
final class TorchrunEtcdEndpointRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String ENDPOINT = "rdzv-endpoint";

  @Override
  public String id() {
    return "torchrun-etcd-endpoint";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    TorchrunConfig torchrun = subject.spec().torchrunConfig();
    if (torchrun == null) {
      return List.of();
    }
    List<String> options = Objects.requireNonNullElse(torchrun.extraOptions(), List.of());
    int given = -1;
    for (int i = 0; i < options.size(); i++) {
      if (ENDPOINT.equals(TorchrunOptions.nameOf(options.get(i)))) {
        given = i;
      }
    }
    boolean complete = given >= 0 && hasValue(options, given);
    String backend = Objects.requireNonNullElse(torchrun.rdzvBackend(), "c10d");
    boolean etcd = backend.equals("etcd") || backend.equals("etcd-v2");
    if (etcd && !complete) {
      return List.of(
          new Violation(
              id(),
              "spec.torchrunConfig.extraOptions",
              Violation.Reason.FieldValueRequired,
              "rdzvBackend "
                  + backend
                  + " needs the address of your etcd: add --rdzv_endpoint=HOST:PORT"));
    }
    if (!etcd && given >= 0) {
      return List.of(
          new Violation(
              id(),
              "spec.torchrunConfig.extraOptions[" + given + "]",
              Violation.Reason.FieldValueForbidden,
              "with rdzvBackend "
                  + backend
                  + " the rendezvous is on the master and the operator gives its address: take"
                  + " --rdzv_endpoint out, or use etcd"));
    }
    return List.of();
  }

  /** The value is behind {@code =} or in the next word, which then is no option. */
  private static boolean hasValue(List<String> options, int at) {
    String option = options.get(at);
    int equals = option.indexOf('=');
    if (equals >= 0) {
      return equals + 1 < option.length();
    }
    String next = at + 1 < options.size() ? options.get(at + 1) : null;
    return next != null && !next.isEmpty() && !next.startsWith("-");
  }
}
