package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CountWithoutElasticWarningTest {

  private final WarningTester warning = new WarningTester(new CountWithoutElasticWarning());

  private static String job(int replicas, String elastic) {
    return "{replicaSpecs: [{type: w, replicas: %d, template: {spec: {containers: [{name: c}]}}}]%s}"
        .formatted(replicas, elastic.isEmpty() ? "" : ", elastic: " + elastic);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | 0",
        "{} | 0",
        "{enabled: false, expectedReplicas: 2} | 0",
        "{expectedReplicas: 5} | 1",
        "{enable: false, minReplicas: 1, maxReplicas: 9, expectedReplicas: 5} | 1",
        "{enabled: true, minReplicas: 1, maxReplicas: 9, expectedReplicas: 5} | 0"
      })
  void isGivenWhereTheNumberMisleadsThoseWhoReadScale(String elastic, int warnings) {
    assertThat(warning.check(job(2, elastic)))
        .hasSize(warnings)
        .allMatch(text -> text.contains("which is 2: leave it out, or write 2"));
  }

  @Test
  void saysNothingOfTheNumberThatTheWebhookHasStored() {
    WarningContext<PyTorchTrainingJobSpec> changed =
        WarningTester.given(job(3, "{enabled: false, expectedReplicas: 2}"));
    RuleContext<PyTorchTrainingJobSpec> subject =
        new RuleContext<>("mnist", changed.subject().spec(), World.spec(job(2, "")));

    assertThat(
            new CountWithoutElasticWarning().check(new WarningContext<>(changed.given(), subject)))
        .isEmpty();
  }
}
