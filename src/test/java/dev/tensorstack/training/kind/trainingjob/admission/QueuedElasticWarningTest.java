package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueuedElasticWarningTest {

  private static final Map<String, String> QUEUE = Map.of("kueue.x-k8s.io/queue-name", "team");

  private static final String ELASTIC =
      "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 3}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "elastic | true  | ''                         | 1",
        "elastic | true  | 'scheduler: {}'            | 1",
        "elastic | true  | 'scheduler: {volcano: {}}' | 0",
        "elastic | true  | 'scheduler: {kubernetes: {}}' | 0",
        "elastic | false | ''                         | 0",
        "fixed   | true  | ''                         | 0",
      })
  void isGivenWhereKueueWouldDeletePods(String kind, boolean queued, String more, int warnings) {
    String spec = "{" + (kind.equals("elastic") ? ELASTIC + ", " : "") + more + "}";
    WarningContext<PyTorchTrainingJobSpec> job = WarningTester.given(spec);

    assertThat(
            new QueuedElasticWarning()
                .check(new WarningContext<>(job.given(), queued ? QUEUE : Map.of(), job.subject())))
        .hasSize(warnings)
        .allMatch(text -> text.startsWith("spec.elastic: ") && text.contains("at 3, or"));
  }
}
