package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueDuplicate;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RestartPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * There is a first type with a master, and types are well named and different.
 *
 * <p>Refuses: no replicaSpec, or more than {@value #MOST_TYPES}; two of the same type; a type that
 * is no DNS label; negative replicas, none in the first entry, or more than {@value
 * JobSize#MOST_PODS} together; an unknown restartPolicy.
 */
final class ReplicaSpecsRule implements Rule<PyTorchTrainingJobSpec> {

  /** The most types; the CRD has the same. */
  private static final int MOST_TYPES = 64;

  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  @Override
  public String id() {
    return "replica-specs";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<ReplicaSpec> specs = subject.spec().replicaSpecs();
    List<Violation> violations = new ArrayList<>();
    if (specs == null || specs.isEmpty()) {
      violations.add(
          violation(
              "spec.replicaSpecs",
              FieldValueRequired,
              "give at least one replicaSpec; index 0 of the first one is the master"));
      return violations;
    }
    if (specs.size() > MOST_TYPES) {
      violations.add(
          violation(
              "spec.replicaSpecs",
              FieldValueInvalid,
              specs.size()
                  + " types are more than "
                  + MOST_TYPES
                  + ", because a job's state is kept in one object: give replicas that are alike"
                  + " one type"));
      return violations;
    }
    Set<String> types = new HashSet<>();
    long pods = 0;
    for (int i = 0; i < specs.size(); i++) {
      checkOne("spec.replicaSpecs[" + i + "]", specs.get(i), i == 0, types, violations);
      pods += Objects.requireNonNullElse(specs.get(i).replicas(), 1);
    }
    if (pods > JobSize.MOST_PODS && violations.isEmpty()) {
      violations.add(
          violation(
              "spec.replicaSpecs",
              FieldValueInvalid,
              "the types have "
                  + pods
                  + " replicas together, more than "
                  + JobSize.MOST_PODS
                  + JobSize.WHY));
    }
    return violations;
  }

  private void checkOne(
      String path, ReplicaSpec spec, boolean first, Set<String> types, List<Violation> found) {
    if (spec.type() == null) {
      found.add(violation(path + ".type", FieldValueRequired, "give the type a name, e.g. worker"));
    } else if (!DNS_LABEL.matcher(spec.type()).matches()) {
      found.add(
          violation(
              path + ".type",
              FieldValueInvalid,
              "\""
                  + spec.type()
                  + "\" is part of pod names: use lower case letters, digits and '-', at most 63,"
                  + " beginning and ending with a letter or digit, e.g. worker"));
    } else if (!types.add(spec.type())) {
      found.add(
          violation(
              path + ".type",
              FieldValueDuplicate,
              "\"" + spec.type() + "\" stands twice: give each replicaSpec its own type"));
    }
    // The CRD says both of a negative first entry, too: it cannot tell which entry is the first.
    if (spec.replicas() != null && spec.replicas() < 0) {
      found.add(
          violation(
              path + ".replicas", FieldValueInvalid, "must not be negative: write 0 or more"));
    }
    if (first && spec.replicas() != null && spec.replicas() < 1) {
      found.add(
          violation(
              path + ".replicas",
              FieldValueInvalid,
              "must be at least 1: index 0 of the first replicaSpec is the master"));
    }
    if (spec.replicas() != null && spec.replicas() > JobSize.MOST_PODS) {
      found.add(
          violation(
              path + ".replicas",
              FieldValueInvalid,
              "must be at most " + JobSize.MOST_PODS + JobSize.WHY));
    }
    if (spec.scalingWeight() != null && spec.scalingWeight() < 0) {
      found.add(
          violation(
              path + ".scalingWeight",
              FieldValueInvalid,
              "must not be negative: write 0 for a type that does not scale"));
    }
    FieldCheck words = new FieldCheck(id());
    words.word(path + ".restartPolicy", spec.restartPolicy(), RestartPolicy.values());
    found.addAll(words.violations());
  }

  private Violation violation(String field, Violation.Reason reason, String message) {
    return new Violation(id(), field, reason, message);
  }
}
