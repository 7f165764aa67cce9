package dev.tensorstack.training.kind.pytorchjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.NameRule;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The job's name makes names that Kubernetes accepts.
 *
 * <p>Refuses: a name that is no DNS-1035 label, or that makes the name of a pod and its Service
 * longer than 63 characters.
 */
final class JobNameRule extends NameRule<PyTorchJobSpec> {

  JobNameRule() {
    super("shorten the job's name");
  }

  @Override
  protected List<MadeName> madeNames(String name, PyTorchJobSpec spec) {
    return ReplicaFields.known(spec).entrySet().stream()
        .map(
            type -> {
              String replica =
                  type.getKey().label()
                      + "-"
                      + largestIndex(type.getKey(), type.getValue(), spec.elasticPolicy());
              return new MadeName(
                  "the name of " + replica + "'s pod and Service",
                  name.length() + 1 + replica.length());
            })
        .toList();
  }

  private static int largestIndex(
      ReplicaType type, ReplicaSpec replicas, @Nullable ElasticPolicy elastic) {
    int most = requireNonNullElse(replicas.replicas(), 1);
    if (type == ReplicaType.Worker && elastic != null) {
      most = Math.max(most, requireNonNullElse(elastic.maxReplicas(), 1));
    }
    return Math.max(0, most - 1);
  }
}
