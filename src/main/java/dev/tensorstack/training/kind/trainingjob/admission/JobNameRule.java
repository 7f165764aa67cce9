package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.NameRule;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The job's name makes names that Kubernetes accepts.
 *
 * <p>Refuses: a name that is no DNS-1035 label, or that makes a host name, the Service's or
 * TensorBoard's longer than 63 characters.
 */
final class JobNameRule extends NameRule<PyTorchTrainingJobSpec> {

  JobNameRule() {
    super("shorten the job's name or the type");
  }

  @Override
  protected List<MadeName> madeNames(String name, PyTorchTrainingJobSpec spec) {
    List<MadeName> made = new ArrayList<>();
    int base = name.length() + JobNames.baseSuffixLength();
    made.add(new MadeName("the Service", base));
    if (spec.tensorboardSpec() != null) {
      made.add(new MadeName("TensorBoard", base + JobNames.TENSORBOARD_SUFFIX.length()));
    }
    for (ReplicaSpec type : PlacedContainers.types(spec)) {
      if (type.type() != null) {
        int largest = Math.max(0, largestIndex(type, spec.elastic()));
        made.add(
            new MadeName(
                "the host name of " + type.type() + "-" + largest,
                base + 1 + type.type().length() + 1 + Integer.toString(largest).length()));
      }
    }
    return made;
  }

  private static int largestIndex(ReplicaSpec spec, @Nullable Elastic elastic) {
    Integer most =
        elastic == null || !elastic.on() || Objects.equals(spec.scalingWeight(), 0)
            ? null
            : elastic.maxReplicas();
    return (most == null ? Objects.requireNonNullElse(spec.replicas(), 1) : most) - 1;
  }
}
