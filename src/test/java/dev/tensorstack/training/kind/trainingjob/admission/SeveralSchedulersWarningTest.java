package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeveralSchedulersWarningTest {

  private final WarningTester warning = new WarningTester(new SeveralSchedulersWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kubernetes: {}                        | ''                | ''   | ",
        "kubernetes: {}                        | default-scheduler | ''   | ",
        "kubernetes: {}                        | mine              | mine | ",
        "kubernetes: {}                        | mine              | ''   | spec.scheduler.kubernetes: the pods would go to the schedulers [\"mine\", \"default-scheduler\"]",
        "coscheduling: {}                      | ''                | default-scheduler | ",
        "coscheduling: {}                      | ''                | mine | spec.scheduler.coscheduling: the pods would go to the schedulers [\"scheduler-plugins-scheduler\", \"mine\"]",
        "'coscheduling: {schedulerName: mine}' | ''                | mine | ",
        "volcano: {}                           | ''                | volcano | ",
      })
  void isGivenWhereTheGangCanNeverBeComplete(
      String member, String first, String second, @org.jspecify.annotations.Nullable String text) {
    String types =
        "replicaSpecs: [{type: a, template: {spec: {schedulerName: '%s', containers: [{name: c}]}}}, {type: b, template: {spec: {schedulerName: '%s', containers: [{name: c}]}}}]"
            .formatted(first, second);

    List<String> texts = warning.check("{" + types + ", scheduler: {" + member + "}}");

    assertThat(texts).hasSize(text == null ? 0 : 1);
    assertThat(texts).allMatch(said -> text == null || said.contains(text));
  }
}
