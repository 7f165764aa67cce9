package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.WriteFailure;
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

  /** The words are those of a real API server (1.36). */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "403 | FORBIDDEN | pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": …",
        "403 | FORBIDDEN | pods \"a\" is forbidden: maximum cpu usage per Container is 1, but limit is 2",
        "403 | FORBIDDEN | pods \"a\" is forbidden: error looking up service account ns/sa: serviceaccount \"sa\" not found",
        "403 | FORBIDDEN | pods \"a\" is forbidden: no PriorityClass with name vital was found",
        "400 | FORBIDDEN | admission webhook \"deny.example.com\" denied the request: no",
        "422 | FORBIDDEN | admission webhook \"deny.example.com\" denied the request: no",
        "422 | FORBIDDEN | pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
        "403 | QUOTA | pods \"a\" is forbidden: exceeded quota: few-pods, requested: pods=1, used: pods=2, limited: pods=2",
        "422 | INVALID | Pod \"a\" is invalid: spec.containers[0].image: Required value",
        "500 | TRANSIENT | Internal error occurred: failed calling webhook \"deny.example.com\"",
      })
  void whatAPolicyDeniesIsNotInvalidWhateverItsCode(
      int code, WriteFailure.Kind kind, String message) {
    KubernetesClientException refusal =
        new KubernetesClientException(
            "refused", code, new StatusBuilder().withMessage(message).build());
    assertThat(Refusals.kind(refusal)).isEqualTo(kind);
  }

  /** As the client throws it when a connection is closed. */
  @Test
  void aRequestWithoutAnAnswerMayBeTakenAnotherTime() {
    IllegalStateException closed = new IllegalStateException("Connection was closed");
    assertThat(Refusals.passes(new KubernetesClientException("Connection was closed", closed)))
        .isTrue();
  }
}
