package dev.tensorstack.training.engine;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

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

  /** This process works on jobs from now on, unless it is about to end. */
  public void begin() {
    lock.lock();
    try {
      if (state == State.STANDBY) {
        state = State.LEADING;
      }
    } finally {
      lock.unlock();
    }
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
