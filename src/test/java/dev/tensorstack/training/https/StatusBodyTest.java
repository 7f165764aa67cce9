package dev.tensorstack.training.https;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The form of answers. */
class StatusBodyTest {

  @Test
  void isThatOfTheApiServer() {
    assertThat(new StatusBody(false, 403, "Forbidden", "not \"you\"").json())
        .isEqualTo(
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                + "\"message\":\"not \\\"you\\\"\",\"reason\":\"Forbidden\",\"code\":403}");
    assertThat(new StatusBody(true, 200, "Success", "done").json())
        .contains("\"status\":\"Success\"");
  }
}
