package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.world.World;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All rules together; each has a test of its own beside it. */
class RulesTest {

  static Stream<Class<?>> rulesAndWarnings() {
    return Stream.concat(
        Rules.ALL.stream().map(Object::getClass),
        new Warnings(AcceleratorResources.DEFAULT).all().stream().map(Object::getClass));
  }

  @ParameterizedTest
  @MethodSource("rulesAndWarnings")
  void eachRuleAndEachWarningHasATest(Class<?> rule) {
    assertThat(rule.getName() + "Test")
        .satisfies(name -> assertThat(Class.forName(name)).hasPackage(rule.getPackageName()));
  }

  @Test
  void idsAreDifferent() {
    assertThat(
            Stream.concat(
                Rules.ALL.stream().map(Rule::id),
                new Warnings(AcceleratorResources.DEFAULT).all().stream().map(Warning::id)))
        .doesNotHaveDuplicates();
  }

  @Test
  void allMistakesAreToldAtOnce() {
    assertThat(
            Rules.check(
                new RuleContext<>(
                    "Mnist",
                    World.spec(
                        RuleTester.job(
                                "torchrunConfig: {procPerNode: x}, runPolicy: {backoffLimit: -1}")
                            .replace("worker", "Worker")),
                    null)))
        .extracting(Violation::rule)
        .containsExactly("replica-specs", "job-name", "torchrun-proc-per-node", "run-policy");
  }

  @Test
  void whatCanWorkIsNotRefused() {
    assertThat(Rules.check(new RuleContext<>("mnist", World.spec(RuleTester.job("")), null)))
        .isEmpty();
  }
}
