package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ReportGap;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Whether this process is the one that works on jobs. It begins at most once and ends for good: a
 * process that has led and does not any more ends.
 */
public final class Leadership {

  private enum State {
    STANDBY,
    LEADING,
    ENDED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private volatile State state = State.STANDBY;
  private int working;
  private volatile @Nullable ReportGap gap;
  private volatile @Nullable String leader;

  /**
   * This process works on jobs from now on, unless it is about to end.
   *
   * @param unheard when nobody has worked on them before; null when nobody ever has
   */
  public void begin(@Nullable ReportGap unheard) {
    lock.lock();
    try {
      if (state == State.STANDBY) {
        gap = unheard;
        state = State.LEADING;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * When nobody has worked on jobs before this process began to.
   *
   * @return null when nobody ever has, and before it has begun
   */
  @Nullable ReportGap gap() {
    return gap;
  }

  /**
   * Somebody else works on jobs.
   *
   * @param address its IP address; null when it is not known
   */
  public void follows(@Nullable String address) {
    leader = address;
  }

  /**
   * Where the process is reached that works on jobs.
   *
   * @return its IP address; null when it is not known, or is this one
   */
  public @Nullable String leader() {
    return leads() ? null : leader;
  }

  /**
   * This process ends in an orderly way: that it does not lead any more is no accident. No look at
   * a job begins any more; those that have begun are waited for.
   *
   * @param patience how long to wait
   * @return false when some are still under way
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public boolean end(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      state = State.ENDED;
      long left = patience.toNanos();
      while (working > 0 && left > 0) {
        left = idle.awaitNanos(left);
      }
      return working == 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A look at a job wants to begin.
   *
   * @return false when the process ends; else {@link #leave} is to be called after it
   */
  boolean enter() {
    lock.lock();
    try {
      if (state == State.ENDED) {
        return false;
      }
      working++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A look at a job is over. */
  void leave() {
    lock.lock();
    try {
      working--;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether this process works on jobs.
   *
   * @return false before and after
   */
  public boolean leads() {
    return state == State.LEADING;
  }

  /**
   * Whether the process ends.
   *
   * @return true once its end has begun
   */
  public boolean hasEnded() {
    return state == State.ENDED;
  }
}
