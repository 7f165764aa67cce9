package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateRestartPolicyWarningTest {

  private final WarningTester warning = new WarningTester(new TemplateRestartPolicyWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{replicaSpecs: [null, {}, {template: null}, {template: {}}, {template: {spec: {}}}]} | ``",
        "{replicaSpecs: [{type: a, template: {spec: {restartPolicy: Never}}}]} | ``",
        "{replicaSpecs: [{type: a, template: {spec: {restartPolicy: ''}}}]} | ``",
        "{replicaSpecs: [{type: a, template: {spec: {restartPolicy: OnFailure}}}]} | spec.replicaSpecs[0].template.spec.restartPolicy: \"OnFailure\" is replaced with Never: take it out; what counts is spec.replicaSpecs[0].restartPolicy, here Never",
        "{replicaSpecs: [{type: a}, {type: b, restartPolicy: ExitCode, template: {spec: {restartPolicy: Always}}}]} | spec.replicaSpecs[1].restartPolicy, here ExitCode"
      })
  void isGivenWhereThereIsReason(String spec, String expected) {
    List<String> parts = expected.isEmpty() ? List.of() : List.of(expected.split(" ;; "));
    List<String> texts = warning.check(spec);

    assertThat(texts).hasSameSizeAs(parts);
    for (int i = 0; i < parts.size(); i++) {
      assertThat(texts.get(i)).contains(parts.get(i));
    }
  }
}
