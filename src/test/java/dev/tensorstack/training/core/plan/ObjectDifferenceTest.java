package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectDifferenceTest {

  private static GenericKubernetesResource object(String spec) {
    return Serialization.unmarshal(
        "---\n{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: y}}, spec: " + spec + "}",
        GenericKubernetesResource.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}                        | {a: 1}            | false",
        "{a: 1, more: by the server}   | {a: 1}            | false",
        "{a: 2}                        | {a: 1}            | true",
        "{}                            | {a: 1}            | true",
        "{}                            | {a: []}           | false",
        "{l: [{a: 1, b: 2}, {a: 2}]}   | {l: [{a: 1}, {a: 2}]} | false",
        "{l: [{a: 1}]}                 | {l: [{a: 1}, {a: 2}]} | true",
        "{l: [{a: 1}, {a: 2}]}         | {l: [{a: 1}]}     | true",
        "{l: [{a: 2}, {a: 1}]}         | {l: [{a: 1}, {a: 2}]} | true",
        "{cpu: '1'}                    | {cpu: 1000m}      | false",
        "{memory: 1Gi}                 | {memory: 1024Mi}  | false",
        "{memory: 1Gi}                 | {memory: 1G}      | true",
        "{name: one}                   | {name: two}       | true",
        "{suspend: true}               | {suspend: false}  | true"
      })
  void whatIsWantedHasToBeThereAndThereMayBeMore(String is, String wanted, boolean changed) {
    assertThat(ObjectDifference.isChanged(object(is), object(wanted))).isEqualTo(changed);
  }

  @Test
  void theMarkTellsAnotherWish() {
    GenericKubernetesResource is = object("{}");
    GenericKubernetesResource wanted = object("{}");
    assertThat(ObjectDifference.isOtherWish(is, wanted)).isFalse();
    wanted.getMetadata().setAnnotations(java.util.Map.of("batch.tensorstack.dev/applied", "1"));
    assertThat(ObjectDifference.isOtherWish(is, wanted)).isTrue();
  }
}
