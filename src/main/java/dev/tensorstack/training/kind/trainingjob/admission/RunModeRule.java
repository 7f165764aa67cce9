package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueDuplicate;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.EnumNames;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ResumeSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Debug and pause exclude each other, and what they say of a type is said of one that exists.
 *
 * <p>Refuses: debug and pause both on; a type that no replicaSpec has, or that stands twice; an
 * empty command.
 */
final class RunModeRule implements Rule<PyTorchTrainingJobSpec> {

  private static final DebugReplicaSpec NO_DEBUG = new DebugReplicaSpec(null, null, null);
  private static final ResumeSpec NO_RESUME = new ResumeSpec(null, null, null, null);

  @Override
  public String id() {
    return "run-mode";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    RunMode mode = subject.spec().runMode();
    List<Violation> violations = new ArrayList<>();
    if (mode == null) {
      return violations;
    }
    if (mode.debug() != null && mode.debug().on() && mode.pause() != null && mode.pause().on()) {
      violations.add(
          new Violation(
              id(),
              "spec.runMode",
              FieldValueInvalid,
              "debug and pause are both on: switch one of them off"));
    }
    Set<String> types = types(subject.spec());
    if (mode.debug() != null && mode.debug().replicaSpecs() != null) {
      Set<String> seen = new HashSet<>();
      List<DebugReplicaSpec> specs = mode.debug().replicaSpecs();
      for (int i = 0; i < specs.size(); i++) {
        String path = "spec.runMode.debug.replicaSpecs[" + i + "]";
        DebugReplicaSpec entry = requireNonNullElse(specs.get(i), NO_DEBUG);
        one(violations, path, entry.type(), entry.command(), types, seen);
      }
    }
    if (mode.pause() != null && mode.pause().resumeSpecs() != null) {
      Set<String> seen = new HashSet<>();
      List<ResumeSpec> specs = mode.pause().resumeSpecs();
      for (int i = 0; i < specs.size(); i++) {
        String path = "spec.runMode.pause.resumeSpecs[" + i + "]";
        ResumeSpec entry = requireNonNullElse(specs.get(i), NO_RESUME);
        one(violations, path, entry.type(), entry.command(), types, seen);
      }
    }
    return violations;
  }

  private static Set<String> types(PyTorchTrainingJobSpec spec) {
    return requireNonNullElse(spec.replicaSpecs(), List.<ReplicaSpec>of()).stream()
        .map(ReplicaSpec::type)
        .filter(Objects::nonNull)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private void one(
      List<Violation> violations,
      String path,
      @Nullable String type,
      @Nullable List<String> command,
      Set<String> types,
      Set<String> seen) {
    if (type == null) {
      violations.add(
          new Violation(
              id(), path + ".type", FieldValueRequired, "name the type of a replicaSpec"));
    } else if (!types.contains(type)) {
      violations.add(
          new Violation(
              id(),
              path + ".type",
              FieldValueInvalid,
              "no replicaSpec is of type \"" + type + "\": use one of " + EnumNames.quoted(types)));
    } else if (!seen.add(type)) {
      violations.add(
          new Violation(
              id(),
              path + ".type",
              FieldValueDuplicate,
              "\"" + type + "\" stands twice: say all about a type in one entry"));
    }
    if (command != null && command.isEmpty()) {
      violations.add(
          new Violation(
              id(),
              path + ".command",
              FieldValueInvalid,
              "is empty: leave it out, or write a program and its arguments"));
    }
  }
}
