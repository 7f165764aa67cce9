package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LastAnswerTest {

  private final LastAnswer last = new LastAnswer("not known yet");

  private static Supplier<@Nullable String> problem(int code) {
    return () -> {
      throw new KubernetesClientException("no", code, null);
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 429, 500, 503})
  void anApiServerThatIsAwayNeitherOpensTheWayNorClosesIt(int code) {
    assertThat(last.of(problem(code))).isEqualTo("not known yet");
    assertThat(last.of(() -> "in the way")).isEqualTo("in the way");
    assertThat(last.of(problem(code))).isEqualTo("in the way");
    assertThat(last.of(() -> null)).isNull();
    assertThat(last.of(problem(code))).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 404})
  void whoMayNotAskIsHeldUpByNothing(int code) {
    assertThat(last.of(() -> "in the way")).isEqualTo("in the way");
    assertThat(last.of(problem(code))).isNull();
  }

  @Test
  void eachAnswerTakesThePlaceOfTheOneBefore() {
    assertThat(last.of(() -> "one")).isEqualTo("one");
    assertThat(last.of(() -> "other")).isEqualTo("other");
  }
}
