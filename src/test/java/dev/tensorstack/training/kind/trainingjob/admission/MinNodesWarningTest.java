package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MinNodesWarningTest {

  private final WarningTester warning = new WarningTester(new MinNodesWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{torchrunConfig: {enabled: true}} | ``",
        "{torchrunConfig: {enabled: true, minNodes: null}} | ``",
        "{torchrunConfig: {enable: true, minNodes: 1}} | spec.torchrunConfig.minNodes: ignored: take it out; the smallest size of an elastic job is elastic.minReplicas",
        "{torchrunConfig: {minNodes: 0}} | ignored"
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
