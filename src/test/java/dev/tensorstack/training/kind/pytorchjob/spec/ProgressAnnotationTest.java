package dev.tensorstack.training.kind.pytorchjob.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ProgressPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A PyTorchJob asks for its progress with an annotation. */
class ProgressAnnotationTest {

  private static Map<String, String> with(String value) {
    return Map.of("batch.tensorstack.dev/progress", value);
  }

  @Test
  void withoutTheAnnotationNothingIsAskedFor() {
    assertThat(ProgressAnnotation.read(Map.of())).isEqualTo(ProgressPolicy.NONE);
    assertThat(ProgressAnnotation.problem(Map.of())).isNull();
  }

  @Test
  void anEmptyObjectAsksForReports() {
    assertThat(ProgressAnnotation.read(with("{}"))).isEqualTo(ProgressPolicy.REPORTS);
  }

  @Test
  void itHasTheFieldsOfTheOtherKind() {
    assertThat(
            ProgressAnnotation.read(
                with(
                    "{\"startSeconds\": 60, \"stallSeconds\": 30, \"failOnNaN\": 3,"
                        + " \"logPattern\": \"(?P<step>a)(?P<loss>b)\","
                        + " \"onFailure\": \"Restart\"}")))
        .isEqualTo(new ProgressPolicy(false, 60L, 30L, 3, "(?P<step>a)(?P<loss>b)", true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "true",
        "[]",
        "{",
        "{\"stallSeconds\": \"30\"}",
        "{\"stallSeconds\": 0}",
        "{\"stall\": 30}",
        "{\"onFailure\": \"Restart\"}",
        "{\"onFailure\": \"restart\"}",
        "{\"logPattern\": \"(\"}"
      })
  void whatIsWrongFindsNoHangAndIsTold(String value) {
    assertThat(ProgressAnnotation.read(with(value))).isEqualTo(ProgressPolicy.REPORTS);
    assertThat(ProgressAnnotation.problem(with(value))).contains("no hang is found");
  }
}
