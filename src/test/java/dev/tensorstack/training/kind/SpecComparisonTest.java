package dev.tensorstack.training.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecComparisonTest {

  private static final String JOB =
      "{replicaSpecs: [{type: a, template: {spec: {containers: [{name: c, %s}]}}}],"
          + " tensorboardSpec: {resources: {limits: {cpu: 1}}}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "image: i | image: i | true",
        "image: i | image: j | false",
        "resources: {limits: {cpu: 1}} | resources: {limits: {cpu: 1000m}} | true",
        "resources: {limits: {cpu: 1}} | resources: {limits: {cpu: 2}} | false",
        "resources: {limits: {cpu: 1}} | resources: {limits: {cpu: many}} | false",
        "resources: {limits: {cpu: many}} | resources: {limits: {cpu: many}} | true",
        "resources: {limits: {cpu: many}} | resources: {limits: {cpu: 1}} | false",
        "env: null | env: [] | true",
        "env: null | image: null | true",
        "env: [null] | env: [] | false",
        "future: 1 | future: 1 | true",
        "future: 1 | future: 2 | false",
      })
  void specsAreTheSameWhenTheySayTheSame(String before, String after, boolean same) {
    assertThat(
            SpecComparison.same(
                World.spec(JOB.formatted(before)), World.spec(JOB.formatted(after))))
        .isEqualTo(same);
  }

  @Test
  void nothingIsTheSameAsNothingOnly() {
    assertThat(SpecComparison.same(null, null)).isTrue();
    assertThat(SpecComparison.same(World.spec("{}"), null)).isFalse();
    assertThat(SpecComparison.same(null, World.spec("{}"))).isFalse();
  }
}
