package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeveralMastersWarningTest {

  private final WarningTester warning = new WarningTester(new SeveralMastersWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{replicaSpecs: [null, {type: null}]} | ``",
        "{replicaSpecs: [{type: master}]} | ``",
        "{replicaSpecs: [{type: master, replicas: 1}]} | ``",
        "{replicaSpecs: [{type: worker, replicas: 3}]} | ``",
        "{replicaSpecs: [{type: master, replicas: 0}, {type: worker, replicas: 3}]} | ``",
        "{replicaSpecs: [{type: master, replicas: 3}]} | spec.replicaSpecs[0].replicas: 3 of type master, but a job has one master, master-0: write 1",
        "{replicaSpecs: [{type: chief}, {type: master, replicas: 2}]} | spec.replicaSpecs[1].replicas: 2 of type master, but a job has one master, chief-0"
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
