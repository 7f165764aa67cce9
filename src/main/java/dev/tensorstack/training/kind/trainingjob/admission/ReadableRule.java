package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.ReadLimits;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operator can keep in mind what the job's pods are made of, and the status can tell of them.
 * What cannot even be read does not come as far as this: the webhooks refuse it in this rule's name
 * while they read it.
 *
 * <p>Refuses: a spec that is nested deeper than {@value ReadLimits#DEPTH} levels or has a name of
 * more than {@value ReadLimits#NAME} characters; a template with more than {@value
 * #MOST_CONTAINERS} containers, init containers included; a job whose pods have more than {@value
 * #MOST_CONTAINERS_TOGETHER} containers together.
 */
public final class ReadableRule implements Rule<PyTorchTrainingJobSpec> {

  /** The rule's name in refusals. */
  public static final String ID = ReadLimits.RULE;

  /** The most containers of a pod, init containers included. */
  static final int MOST_CONTAINERS = 64;

  /** The most containers of all pods of a job. */
  static final long MOST_CONTAINERS_TOGETHER = 100_000;

  /** A rule is made by {@link Rules}. */
  ReadableRule() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<Violation> violations = new ArrayList<>();
    List<ReplicaSpec> types =
        requireNonNullElse(subject.spec().replicaSpecs(), List.<ReplicaSpec>of());
    for (int i = 0; i < types.size(); i++) {
      int containers = containers(types.get(i));
      if (containers > MOST_CONTAINERS) {
        violations.add(
            violation(
                "spec.replicaSpecs[" + i + "].template.spec.containers",
                containers
                    + " containers, those in initContainers included, are more than "
                    + MOST_CONTAINERS
                    + ", and the status could not tell of all of them: write fewer"));
      }
    }
    long together = together(subject.spec(), types);
    if (violations.isEmpty() && together > MOST_CONTAINERS_TOGETHER) {
      violations.add(
          violation(
              "spec.replicaSpecs",
              "the pods have "
                  + together
                  + " containers together, more than "
                  + MOST_CONTAINERS_TOGETHER
                  + ", and the operator keeps the state of each in mind: write fewer replicas, or"
                  + " fewer containers"));
    }
    return violations;
  }

  private static int containers(@Nullable ReplicaSpec type) {
    PodSpec pod = type == null || type.template() == null ? null : type.template().getSpec();
    return pod == null ? 0 : size(pod.getContainers()) + size(pod.getInitContainers());
  }

  private static int size(@Nullable List<Container> containers) {
    return containers == null ? 0 : containers.size();
  }

  /** Of an elastic job when it is largest; any type may be the one that grows. */
  private static long together(PyTorchTrainingJobSpec spec, List<ReplicaSpec> types) {
    Elastic elastic = spec.elastic();
    if (elastic != null && elastic.on()) {
      int most = types.stream().mapToInt(ReadableRule::containers).max().orElse(0);
      return (long) most * requireNonNullElse(elastic.maxReplicas(), 0);
    }
    return types.stream()
        .mapToLong(type -> (long) containers(type) * requireNonNullElse(type.replicas(), 1))
        .sum();
  }

  private static Violation violation(String field, String message) {
    return new Violation(ID, field, Violation.Reason.FieldValueInvalid, message);
  }
}
