package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TorchrunProcPerNodeRuleTest {

  private final RuleTester rule = new RuleTester(new TorchrunProcPerNodeRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}",
        "torchrunConfig: {enabled: true, procPerNode: 1}",
        "torchrunConfig: {enabled: true, procPerNode: '1'}",
        "torchrunConfig: {enabled: true, procPerNode: 8}",
        "torchrunConfig: {enabled: true, procPerNode: '8'}",
        "torchrunConfig: {enabled: true, procPerNode: ' 8 '}",
        "torchrunConfig: {enabled: true, procPerNode: auto}",
        "torchrunConfig: {enabled: true, procPerNode: cpu}",
        "torchrunConfig: {enabled: true, procPerNode: gpu}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true, procPerNode: 0} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: -1} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: '0'} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: ''} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: tpu} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: GPU} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu",
        "torchrunConfig: {enabled: true, procPerNode: '1.5'} | spec.torchrunConfig.procPerNode | is none of: a positive number, auto, cpu, gpu"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }
}
