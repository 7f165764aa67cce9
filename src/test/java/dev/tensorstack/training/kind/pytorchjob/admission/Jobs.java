package dev.tensorstack.training.kind.pytorchjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Small jobs, and what a rule or a warning says of them. */
public final class Jobs {

  private static final String TEMPLATE =
      "template: {spec: {containers: [{name: pytorch, image: i:1}]}}";

  private Jobs() {}

  /** The master's replica spec, as a member of {@code pytorchReplicaSpecs}. */
  static String master() {
    return "Master: {" + TEMPLATE + "}";
  }

  /** The workers' replica spec. */
  static String workers(int replicas) {
    return "Worker: {replicas: " + replicas + ", " + TEMPLATE + "}";
  }

  /**
   * A job of a master and three workers.
   *
   * @param more further members of the spec, as YAML in one line; may be empty
   * @return the spec
   */
  public static String job(String more) {
    return jobOf(more, master(), workers(3));
  }

  /** A job of three workers. */
  static String workersOnly(String more) {
    return jobOf(more, workers(3));
  }

  /**
   * A job of these replica specs.
   *
   * @param more further members of the spec, as YAML in one line; may be empty
   * @param types members of {@code pytorchReplicaSpecs}
   * @return the spec
   */
  public static String jobOf(String more, String... types) {
    return "{pytorchReplicaSpecs: {"
        + String.join(", ", types)
        + "}"
        + (more.isEmpty() ? "" : ", " + more)
        + "}";
  }

  /**
   * Reads a spec as it is written.
   *
   * @param yaml YAML
   * @return the spec; an empty one for an empty text
   */
  public static PyTorchJobSpec given(String yaml) {
    return Objects.requireNonNullElse(
        Serialization.unmarshal("---\n" + yaml, PyTorchJobSpec.class),
        new PyTorchJobSpec(null, null, null, null));
  }

  /**
   * Reads a spec and completes it.
   *
   * @param yaml YAML
   * @return the spec with all defaults
   */
  public static PyTorchJobSpec spec(String yaml) {
    return Defaulter.complete(given(yaml));
  }

  /**
   * What is said of a job's workers.
   *
   * @param spec the spec of a job that has workers
   * @return their replica spec
   */
  public static ReplicaSpec workersOf(PyTorchJobSpec spec) {
    return Objects.requireNonNull(spec.replicas(ReplicaType.Worker), "the job has workers");
  }

  /** What a rule refuses of a job of that name when it is created, and when it is unchanged. */
  static List<Violation> creation(Rule<PyTorchJobSpec> rule, @Nullable String name, String spec) {
    PyTorchJobSpec complete = spec(spec);
    List<Violation> violations = rule.check(new RuleContext<>(name, complete, null));
    assertThat(rule.check(new RuleContext<>(name, complete, complete)))
        .as("the same job, stored and unchanged")
        .isEqualTo(violations);
    assertThat(violations).allMatch(violation -> violation.rule().equals(rule.id()));
    return violations;
  }

  /** The same of a job named mnist, one line for each violation. */
  static List<String> refused(Rule<PyTorchJobSpec> rule, String spec) {
    return creation(rule, "mnist", spec).stream().map(Violation::describe).toList();
  }

  /** What a rule refuses of a change, one line for each violation. */
  static List<String> refused(Rule<PyTorchJobSpec> rule, String before, String after) {
    return rule.check(new RuleContext<>("mnist", spec(after), spec(before))).stream()
        .map(Violation::describe)
        .toList();
  }

  /** What a warning says of a job, at its creation and at a change. */
  static List<String> warned(Warning<PyTorchJobSpec> warning, String spec) {
    List<String> texts =
        warning.check(
            new WarningContext<>(given(spec), new RuleContext<>("mnist", spec(spec), null)));
    assertThat(
            warning.check(
                new WarningContext<>(
                    given(spec), new RuleContext<>("mnist", spec(spec), spec(spec)))))
        .as("when the job is changed")
        .isEqualTo(texts);
    assertThat(texts).allMatch(text -> text.startsWith("spec."));
    return texts;
  }
}
