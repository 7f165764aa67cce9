package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.PodNotes.Creations;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PodCreationsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private final PodCreations creations = new PodCreations();

  @Test
  void onlyWhatWasCreatedMoreThanOnceIsTold() {
    creations.created("a", NOW);
    creations.created("b", NOW);
    assertThat(creations.repeated(NOW)).isEmpty();

    creations.created("a", NOW.plusSeconds(1));
    creations.created("a", NOW.plusSeconds(2));
    assertThat(creations.repeated(NOW.plusSeconds(2)))
        .containsOnlyKeys("a")
        .containsEntry("a", new Creations(3, NOW.plusSeconds(2)));
  }

  @Test
  void itIsForgottenAfterFiveMinutesAndWhenTheClockIsPutBack() {
    creations.created("a", NOW);
    creations.created("a", NOW);
    assertThat(creations.repeated(NOW.plus(Duration.ofMinutes(4)))).isNotEmpty();
    assertThat(creations.repeated(NOW.plus(Duration.ofMinutes(6)))).isEmpty();

    creations.created("a", NOW.plus(Duration.ofMinutes(6)));
    creations.created("a", NOW.plus(Duration.ofMinutes(6)));
    assertThat(creations.repeated(NOW)).isEmpty();
  }
}
