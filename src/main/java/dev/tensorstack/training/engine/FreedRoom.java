package dev.tensorstack.training.engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * When room may have come in the cluster last, as far as the watches of this process tell: a pod of
 * a job has left its node, or a node was added or has changed. Shared by jobs of all kinds.
 */
public final class FreedRoom {

  /** The pods of a job end one after the other. */
  private static final Duration TOLD_AFTER = Duration.ofMillis(500);

  private final Clock clock;
  private final ClusterFacts.Background background;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean tells = new AtomicBoolean();
  private volatile @Nullable Instant last;

  /**
   * Nothing has been seen yet.
   *
   * @param clock the time
   */
  public FreedRoom(Clock clock) {
    this(clock, ClusterFacts.threads("freed-room"));
  }

  FreedRoom(Clock clock, ClusterFacts.Background background) {
    this.clock = clock;
    this.background = background;
  }

  /**
   * Has somebody told from now on, soon after there was room, once for many.
   *
   * @param listener is called on another thread
   */
  void listen(Runnable listener) {
    listeners.add(listener);
  }

  /** Room may have come. */
  void freed() {
    last = clock.instant();
    if (tells.compareAndSet(false, true)) {
      background.run(
          () -> {
            tells.set(false);
            listeners.forEach(Runnable::run);
          },
          TOLD_AFTER);
    }
  }

  /**
   * When room may have come last.
   *
   * @return the moment; null when that was not seen yet
   */
  @Nullable Instant last() {
    return last;
  }
}
