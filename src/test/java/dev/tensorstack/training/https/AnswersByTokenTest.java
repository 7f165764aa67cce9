package dev.tensorstack.training.https;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** An answer is asked for again when it is old, and a failure is none. */
class AnswersByTokenTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofSeconds(10);

  private final List<String> asked = new ArrayList<>();
  private Instant now = Instant.EPOCH;
  private final AnswersByToken<Boolean> answers =
      new AnswersByToken<>(
          2,
          good -> good,
          good -> good ? LONG : SHORT,
          new Clock() {
            @Override
            public ZoneId getZone() {
              return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
              throw new UnsupportedOperationException();
            }

            @Override
            public Instant instant() {
              return now;
            }
          });

  private Function<String, Boolean> says(boolean good) {
    return token -> {
      asked.add(token);
      return good;
    };
  }

  @Test
  void aGoodAnswerHoldsLongerThanABadOne() {
    answers.answer("good", says(true));
    answers.answer("bad", says(false));

    now = now.plus(SHORT).minusMillis(1);
    answers.answer("good", says(true));
    answers.answer("bad", says(false));
    assertThat(asked).containsExactly("good", "bad");

    now = now.plusMillis(1);
    assertThat(answers.answer("good", says(false))).isTrue();
    assertThat(answers.answer("bad", says(true))).isTrue();
    assertThat(asked).containsExactly("good", "bad", "bad");

    now = now.plus(LONG);
    assertThat(answers.answer("good", says(false))).isFalse();
  }

  @Test
  void whatWasGoodIsKnownAlsoWhenItIsOld() {
    answers.answer("good", says(true));
    answers.answer("bad", says(false));
    assertThat(answers.isKnown("bad")).isTrue();

    now = now.plus(LONG);
    assertThat(answers.isKnown("good")).isTrue();
    assertThat(answers.isKnown("bad")).isFalse();
    assertThat(answers.isKnown("other")).isFalse();
  }

  @Test
  void aFailureIsNotKept() {
    assertThatThrownBy(
            () ->
                answers.answer(
                    "t",
                    token -> {
                      throw new IllegalStateException("away");
                    }))
        .hasMessage("away");

    assertThat(answers.isKnown("t")).isFalse();
    assertThat(answers.answer("t", says(true))).isTrue();
  }

  @Test
  void ofManyTheEldestGo() {
    answers.answer("1", says(true));
    answers.answer("2", says(true));
    answers.answer("3", says(true));

    assertThat(answers.isKnown("1")).isFalse();
    assertThat(answers.isKnown("2")).isTrue();
    assertThat(answers.isKnown("3")).isTrue();
  }
}
