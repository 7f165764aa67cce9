package dev.tensorstack.training.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalsTest {

  @ParameterizedTest
  @CsvSource({
    "-1, true",
    "0, true",
    "400, false",
    "403, false",
    "404, false",
    "409, false",
    "422, false",
    "429, true",
    "500, true",
    "503, true",
    "504, true",
  })
  void noAnswerTooManyRequestsAndFailuresOfTheServerPass(int code, boolean passes) {
    KubernetesClientException refusal =
        new KubernetesClientException("refused", code, new StatusBuilder().build());
    assertThat(Refusals.passes(refusal)).isEqualTo(passes);
  }

  /** As the client throws it when a connection is closed. */
  @Test
  void aRequestWithoutAnAnswerMayBeTakenAnotherTime() {
    IllegalStateException closed = new IllegalStateException("Connection was closed");
    assertThat(Refusals.passes(new KubernetesClientException("Connection was closed", closed)))
        .isTrue();
  }
}
