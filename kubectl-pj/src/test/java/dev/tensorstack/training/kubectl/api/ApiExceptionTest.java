package dev.tensorstack.training.kubectl.api;

import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Tree;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class ApiExceptionTest {

  @Test
  void aRefusalIsToldInTheApiServersWords() {
    assertThat(ApiException.refused(422, tree("{'message':'no'}"), "")).hasMessage("no");
    assertThat(ApiException.refused(502, Tree.of(null), "")).hasMessage("HTTP 502");
    assertThat(ApiException.refused(401, Tree.of(null), "").isUnauthorized()).isTrue();
  }

  @Test
  void whatLiesAtTheBottomIsToldWhereThereIsNoAnswer() {
    assertThat(
            ApiException.unreachable(
                "https://c", new ExecutionException(new IOException("no route"))))
        .hasMessage("the API server at https://c does not answer: no route");
  }

  @Test
  void aMissingCredentialIsNotTheApiServersFault() {
    assertThat(
            ApiException.unreachable(
                "https://c",
                new ExecutionException(new CredentialException("no token", new IOException("x")))))
        .hasMessage("no token");
  }
}
