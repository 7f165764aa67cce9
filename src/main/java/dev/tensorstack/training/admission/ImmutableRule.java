package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.DebugReplicaSpec;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.api.v1beta1.ResumeSpec;
import dev.tensorstack.training.api.v1beta1.RunMode;
import dev.tensorstack.training.api.v1beta1.RunPolicy;
import dev.tensorstack.training.api.v1beta1.TorchrunConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What pods were made from stays as it is (docs/reference/api.md: fields that cannot be changed).
 * It compares with the stored object.
 */
final class ImmutableRule implements Rule {

  private static final String REMEDY = "cannot be changed after creation; create another job";

  @Override
  public String id() {
    return "immutable";
  }

  @Override
  public String refuses() {
    return "a change of anything that pods were made from";
  }

  @Override
  public List<Violation> check(Subject subject) {
    List<Violation> violations = new ArrayList<>();
    PyTorchTrainingJobSpec old = subject.old();
    if (old == null) {
      return violations;
    }
    PyTorchTrainingJobSpec now = subject.spec();
    replicaSpecs(violations, orEmpty(old.replicaSpecs()), orEmpty(now.replicaSpecs()));
    torchrun(violations, old.torchrunConfig(), now.torchrunConfig());
    compare(
        violations,
        "spec.runMode.debug.replicaSpecs",
        debugSpecs(old.runMode()),
        debugSpecs(now.runMode()));
    compare(
        violations,
        "spec.runMode.pause.resumeSpecs",
        resumeSpecs(old.runMode()),
        resumeSpecs(now.runMode()));
    RunPolicy was = old.runPolicy();
    RunPolicy is = now.runPolicy();
    if (was != null && is != null) {
      compare(violations, "spec.runPolicy.restartScope", was.restartScope(), is.restartScope());
      compare(
          violations,
          "spec.runPolicy.retryableExitCodes",
          was.retryableExitCodes(),
          is.retryableExitCodes());
    }
    compare(violations, "spec.scheduler", old.scheduler(), now.scheduler());
    return violations;
  }

  private void replicaSpecs(
      List<Violation> violations, List<ReplicaSpec> old, List<ReplicaSpec> now) {
    if (old.size() != now.size()) {
      add(violations, "spec.replicaSpecs", "the number of entries " + REMEDY);
      return;
    }
    for (int i = 0; i < old.size(); i++) {
      String path = "spec.replicaSpecs[" + i + "].";
      compare(violations, path + "type", old.get(i).type(), now.get(i).type());
      if (!Objects.equals(old.get(i).replicas(), now.get(i).replicas())) {
        add(
            violations,
            path + "replicas",
            "cannot be changed after creation; an elastic job is scaled with"
                + " elastic.expectedReplicas, any other needs another job");
      }
      compare(
          violations,
          path + "restartPolicy",
          old.get(i).restartPolicy(),
          now.get(i).restartPolicy());
      compare(violations, path + "template", old.get(i).template(), now.get(i).template());
    }
  }

  private void torchrun(
      List<Violation> violations, @Nullable TorchrunConfig old, @Nullable TorchrunConfig now) {
    boolean was = old != null && old.on();
    boolean is = now != null && now.on();
    compare(violations, "spec.torchrunConfig.enabled", was, is);
    if (!was && !is) {
      return;
    }
    field(violations, "maxRestarts", old, now, TorchrunConfig::maxRestarts);
    field(
        violations,
        "procPerNode",
        old,
        now,
        config ->
            config.procPerNode() == null
                ? null
                : String.valueOf(config.procPerNode().getValue()).trim());
    field(violations, "rdzvBackend", old, now, TorchrunConfig::rdzvBackend);
    field(violations, "extraOptions", old, now, config -> orEmpty(config.extraOptions()));
  }

  private void field(
      List<Violation> violations,
      String name,
      @Nullable TorchrunConfig old,
      @Nullable TorchrunConfig now,
      Function<TorchrunConfig, @Nullable Object> value) {
    if (old != null && now != null) {
      compare(violations, "spec.torchrunConfig." + name, value.apply(old), value.apply(now));
    }
  }

  private static List<DebugReplicaSpec> debugSpecs(@Nullable RunMode mode) {
    return mode == null || mode.debug() == null ? List.of() : orEmpty(mode.debug().replicaSpecs());
  }

  private static List<ResumeSpec> resumeSpecs(@Nullable RunMode mode) {
    return mode == null || mode.pause() == null ? List.of() : orEmpty(mode.pause().resumeSpecs());
  }

  private void compare(
      List<Violation> violations, String path, @Nullable Object old, @Nullable Object now) {
    if (!Objects.equals(old, now)) {
      add(violations, path, REMEDY);
    }
  }

  private void add(List<Violation> violations, String path, String message) {
    violations.add(new Violation(id(), path, Violation.Reason.FieldValueForbidden, message));
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
