package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryTurnsTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final ResourceID OLD = new ResourceID("old", "ns");
  private static final ResourceID YOUNG = new ResourceID("young", "ns");
  private static final ResourceID YOUNGEST = new ResourceID("youngest", "ns");

  private Instant now = BEGIN.plusSeconds(2);
  private final List<ResourceID> told = new ArrayList<>();
  private final EntryTurns turns = new EntryTurns(clock(), told::add);

  private Clock clock() {
    InstantSource source = () -> now;
    return source.withZone(ZoneOffset.UTC);
  }

  private boolean isTurn(ResourceID job, int second) {
    return turns.isTurn("ns/q", job, BEGIN.plusSeconds(second));
  }

  @Test
  void aJobWaitsForThoseThatCameBeforeAndIsToldWhenItsTurnHasCome() {
    assertThat(isTurn(OLD, 0)).isTrue();
    assertThat(isTurn(YOUNG, 1)).isFalse();
    assertThat(isTurn(YOUNGEST, 2)).isFalse();
    turns.entered("ns/q", OLD);
    assertThat(told).containsExactly(YOUNG);
    assertThat(isTurn(YOUNG, 1)).isTrue();
    turns.entered("ns/q", YOUNG);
    assertThat(told).containsExactly(YOUNG, YOUNGEST);
    assertThat(isTurn(YOUNGEST, 2)).isTrue();
  }

  @Test
  void jobsOfOneSecondAndOfOtherQueuesDoNotWaitForEachOther() {
    assertThat(isTurn(OLD, 0)).isTrue();
    assertThat(turns.isTurn("ns/q", YOUNG, BEGIN.plusMillis(900))).isTrue();
    assertThat(turns.isTurn("other/q", YOUNGEST, BEGIN.plusSeconds(2))).isTrue();
  }

  @Test
  void oneThatCannotEnterHoldsUpNobodyForLong() {
    assertThat(isTurn(OLD, 0)).isTrue();
    now = now.plus(Duration.ofSeconds(2));
    assertThat(isTurn(YOUNG, 1)).isFalse();
    now = now.plus(Duration.ofSeconds(3));
    assertThat(isTurn(YOUNG, 1)).isTrue();
    assertThat(isTurn(OLD, 0)).as("it still may").isTrue();
    assertThat(isTurn(YOUNGEST, 2)).as("and holds up nobody").isFalse();
    turns.entered("ns/q", YOUNG);
    assertThat(isTurn(YOUNGEST, 2)).isTrue();
  }

  @Test
  void oneThatWasCreatedLongAgoAndIsResumedHoldsUpNobody() {
    now = BEGIN.plus(Duration.ofHours(1));
    assertThat(isTurn(OLD, 0)).isTrue();
    assertThat(isTurn(YOUNG, 3600)).isTrue();
  }

  @Test
  void oneThatIsNotHeardOfAnyMoreIsForgotten() {
    assertThat(isTurn(OLD, 0)).isTrue();
    now = BEGIN.plus(Duration.ofMinutes(2));
    assertThat(isTurn(YOUNG, 120)).isTrue();
    turns.entered("ns/q", YOUNG);
    turns.entered("ns/q", OLD);
    assertThat(told).isEmpty();
  }
}
