package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {

  private final List<String> begun = new ArrayList<>();

  private Turns.Turn ask(Turns turns, String name) {
    return Objects.requireNonNull(turns.ask(turn -> begun.add(name)));
  }

  @Test
  void soManyAtOnceAndTheOthersInTheirOrder() {
    Turns turns = new Turns(2, 3);
    Turns.Turn first = ask(turns, "1");
    Turns.Turn second = ask(turns, "2");
    Turns.Turn third = ask(turns, "3");
    Turns.Turn fourth = ask(turns, "4");
    ask(turns, "5");
    assertThat(turns.ask(turn -> begun.add("6"))).as("too many wait").isNull();
    assertThat(begun).containsExactly("1", "2");

    assertThat(third.leave()).as("it waited").isTrue();
    assertThat(third.leave()).as("it is gone").isFalse();
    first.end();
    first.end();
    assertThat(begun).as("a place is given back once").containsExactly("1", "2", "4");
    assertThat(fourth.leave()).as("its time has come").isFalse();
    fourth.end();
    second.end();
    assertThat(begun).containsExactly("1", "2", "4", "5");
  }

  @Test
  void whoWaitsHasNothingToEnd() {
    Turns turns = new Turns(1, 9);
    Turns.Turn first = ask(turns, "1");
    Turns.Turn second = ask(turns, "2");

    second.end();
    first.end();

    assertThat(begun).containsExactly("1", "2");
  }

  @Test
  void aLongRowOfTurnsThatEndAtOnceNeedsNoDeepStack() {
    Turns turns = new Turns(1, Integer.MAX_VALUE);
    AtomicInteger ended = new AtomicInteger();
    Turns.Turn first = ask(turns, "1");
    for (int i = 0; i < 100_000; i++) {
      turns.ask(
          turn -> {
            ended.incrementAndGet();
            turn.end();
          });
    }

    first.end();

    assertThat(ended).hasValue(100_000);
  }

  @Test
  void nobodyIsForgottenAmongManyThreads() throws InterruptedException {
    Turns turns = new Turns(3, Integer.MAX_VALUE);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    int all = 20_000;
    CountDownLatch done = new CountDownLatch(all);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int i = 0; i < all; i++) {
        threads.execute(
            () -> {
              Turns.Turn asked =
                  turns.ask(
                      turn ->
                          threads.execute(
                              () -> {
                                most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                                atOnce.decrementAndGet();
                                turn.end();
                                done.countDown();
                              }));
              if (Objects.requireNonNull(asked).leave()) {
                done.countDown();
              }
            });
      }
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      threads.shutdownNow();
    }
    assertThat(most.get()).isBetween(1, 3);
    for (int i = 0; i < 3; i++) {
      ask(turns, "free");
    }
    assertThat(begun).as("all places were given back").hasSize(3);
  }

  @Test
  void aLimitOfNoneIsAMistake() {
    assertThatThrownBy(() -> new Turns(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
