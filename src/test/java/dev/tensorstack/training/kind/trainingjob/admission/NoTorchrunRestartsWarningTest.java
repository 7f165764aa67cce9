package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NoTorchrunRestartsWarningTest {

  private static final String ELASTIC = "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}";

  private final WarningTester warning = new WarningTester(new NoTorchrunRestartsWarning());

  @Test
  void isGivenForAnElasticJobThatWritesZero() {
    assertThat(warning.check("{torchrunConfig: {enabled: true, maxRestarts: 0}, " + ELASTIC + "}"))
        .containsExactly(
            "spec.torchrunConfig.maxRestarts: 0 lets all nodes of an elastic job end when one"
                + " leaves: write 10, or leave it out");
  }

  @Test
  void isNotGivenOtherwise() {
    assertThat(warning.check("{}")).isEmpty();
    assertThat(warning.check("{torchrunConfig: {enabled: true, maxRestarts: 0}}")).isEmpty();
    assertThat(warning.check("{torchrunConfig: {enabled: true}, " + ELASTIC + "}")).isEmpty();
    assertThat(warning.check("{torchrunConfig: {enabled: true, maxRestarts: 3}, " + ELASTIC + "}"))
        .isEmpty();
    assertThat(warning.check("{" + ELASTIC + "}")).isEmpty();
  }
}
