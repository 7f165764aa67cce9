package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rule says of small jobs, named mnist. Whatever a rule says at creation it has to say of
 * an unchanged job too, and of both spellings; the tester checks that on the side.
 */
public final class RuleTester {

  /** Four workers with a script in the args, and a place for more. */
  private static final String JOB =
      """
      {replicaSpecs: [{type: worker, replicas: 4,
        template: {spec: {containers: [{name: c, args: [t.py]}]}}}]%s}
      """;

  private final Rule<PyTorchTrainingJobSpec> rule;

  /**
   * A tester.
   *
   * @param rule the rule
   */
  public RuleTester(Rule<PyTorchTrainingJobSpec> rule) {
    this.rule = rule;
  }

  /**
   * A job of four workers.
   *
   * @param more further members of the spec, as YAML in one line; may be empty
   * @return the spec
   */
  static String job(String more) {
    return JOB.formatted(more.isEmpty() ? "" : ", " + more);
  }

  /**
   * What is refused of a job when it is created.
   *
   * @param spec the spec, as YAML in one line
   * @return the rule's violations
   */
  public List<Violation> creation(String spec) {
    return creation("mnist", spec);
  }

  /** What is refused of a job of that name when it is created. */
  List<Violation> creation(@Nullable String name, String spec) {
    PyTorchTrainingJobSpec complete = World.spec(spec);
    List<Violation> violations = rule.check(new RuleContext<>(name, complete, null));
    assertThat(rule.check(new RuleContext<>(name, complete, complete)))
        .as("the same job, stored and unchanged")
        .isEqualTo(violations);
    if (!spec.contains("enable:")) {
      assertThat(
              rule.check(
                  new RuleContext<>(name, World.spec(spec.replace("enabled:", "enable:")), null)))
          .as("in the old spelling")
          .isEqualTo(violations);
    }
    assertThat(violations).allMatch(violation -> violation.rule().equals(rule.id()));
    return violations;
  }

  /** What is refused of a change. */
  List<Violation> change(String before, String after) {
    List<Violation> violations =
        rule.check(new RuleContext<>("mnist", World.spec(after), World.spec(before)));
    assertThat(
            rule.check(
                new RuleContext<>(
                    "mnist", World.spec(after.replace("enabled:", "enable:")), World.spec(before))))
        .as("in the old spelling")
        .isEqualTo(violations);
    return violations;
  }

  /**
   * The fields of violations.
   *
   * @param violations any
   * @return their fields, in the same order
   */
  public static List<String> fields(List<Violation> violations) {
    return violations.stream().map(Violation::field).toList();
  }
}
