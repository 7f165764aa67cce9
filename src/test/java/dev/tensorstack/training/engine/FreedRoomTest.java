package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FreedRoomTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Queue<Runnable> background = new ArrayDeque<>();
  private final FreedRoom room =
      new FreedRoom(Clock.fixed(NOW, ZoneOffset.UTC), (task, delay) -> background.add(task));

  @Test
  void manyPodsThatEndTogetherAreToldOnce() {
    AtomicInteger told = new AtomicInteger();
    room.listen(told::incrementAndGet);
    assertThat(room.last()).isNull();
    for (int pod = 0; pod < 1000; pod++) {
      room.freed();
    }
    assertThat(room.last()).isEqualTo(NOW);
    assertThat(background).hasSize(1);
    background.remove().run();
    assertThat(told).hasValue(1);
    room.freed();
    assertThat(background).as("what comes later is told anew").hasSize(1);
  }
}
