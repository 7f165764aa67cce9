package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The job's name makes names that Kubernetes accepts.
 *
 * <p>Refuses: a name that is no DNS-1035 label, or that makes a host name, the Service's or
 * TensorBoard's longer than 63 characters.
 */
final class JobNameRule implements Rule<PyTorchTrainingJobSpec> {

  private static final int LONGEST_LABEL = 63;
  private static final Pattern DNS_1035 = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");

  @Override
  public String id() {
    return "job-name";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    String name = subject.name();
    List<Violation> violations = new ArrayList<>();
    if (name == null) {
      return violations;
    }
    if (!DNS_1035.matcher(name).matches()) {
      violations.add(
          violation(
              "\""
                  + name
                  + "\" also names a Service: use lower case letters, digits and '-', beginning with"
                  + " a letter and ending with a letter or digit"));
    }
    int base = name.length() + JobNames.baseSuffixLength();
    tooLong(violations, name, "the Service", base);
    if (subject.spec().tensorboardSpec() != null) {
      tooLong(violations, name, "TensorBoard", base + JobNames.TENSORBOARD_SUFFIX.length());
    }
    for (ReplicaSpec spec :
        Objects.requireNonNullElse(subject.spec().replicaSpecs(), List.<ReplicaSpec>of())) {
      if (spec.type() == null) {
        continue;
      }
      int largest = Math.max(0, largestIndex(spec, subject.spec().elastic()));
      int length = base + 1 + spec.type().length() + 1 + Integer.toString(largest).length();
      tooLong(violations, name, "the host name of " + spec.type() + "-" + largest, length);
    }
    return violations;
  }

  private static int largestIndex(ReplicaSpec spec, Elastic elastic) {
    boolean scales =
        elastic != null
            && elastic.on()
            && elastic.maxReplicas() != null
            && !Objects.equals(spec.scalingWeight(), 0);
    return (scales ? elastic.maxReplicas() : Objects.requireNonNullElse(spec.replicas(), 1)) - 1;
  }

  private void tooLong(List<Violation> violations, String name, String what, int length) {
    if (length > LONGEST_LABEL) {
      violations.add(
          violation(
              "\""
                  + name
                  + "\" is too long: "
                  + what
                  + " would have "
                  + length
                  + " characters, "
                  + (length - LONGEST_LABEL)
                  + " more than the 63 that are allowed; shorten the job's name or the type"));
    }
  }

  private Violation violation(String message) {
    return new Violation(id(), "metadata.name", Violation.Reason.FieldValueInvalid, message);
  }
}
