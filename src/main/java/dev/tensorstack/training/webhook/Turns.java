package dev.tensorstack.training.webhook;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many things happen at once; others wait for their turn, in the order in which they came.
 * Safe for use by several threads.
 */
final class Turns {

  private final int most;
  private final int mostWaiting;
  private final Deque<Turn> waiting = new ArrayDeque<>();
  private final Deque<Turn> called = new ArrayDeque<>();
  private boolean calling;
  private int taken;

  /**
   * Nobody has a turn yet.
   *
   * @param most how many have one at once
   * @param mostWaiting how many may wait for theirs
   * @throws IllegalArgumentException when nobody could ever have one
   */
  Turns(int most, int mostWaiting) {
    if (most < 1) {
      throw new IllegalArgumentException("at least one at once, not " + most);
    }
    this.most = most;
    this.mostWaiting = mostWaiting;
  }

  /** A place in the row. */
  final class Turn {

    private final Consumer<Turn> begin;
    private boolean begun;
    private boolean ended;

    private Turn(Consumer<Turn> begin) {
      this.begin = begin;
    }

    /**
     * Gives the place back; the next one in the row begins, in this thread or in that of whoever
     * ends at the same time. Does nothing while it still waits, nor the second time.
     */
    void end() {
      synchronized (Turns.this) {
        if (!begun || ended) {
          return;
        }
        ended = true;
        Turn next = waiting.poll();
        if (next == null) {
          taken--;
          return;
        }
        next.begun = true;
        called.add(next);
        if (calling) {
          return;
        }
        calling = true;
      }
      callAll();
    }

    /**
     * Leaves the row.
     *
     * @return whether it still waited; if not, its time has come, and it has to be ended
     */
    boolean leave() {
      synchronized (Turns.this) {
        if (begun || ended) {
          return false;
        }
        ended = true;
        waiting.remove(this);
        return true;
      }
    }
  }

  /** One after the other: a turn that ends as it begins does not call the next one from within. */
  private void callAll() {
    while (true) {
      Turn next;
      synchronized (this) {
        next = called.poll();
        if (next == null) {
          calling = false;
          return;
        }
      }
      try {
        next.begin.accept(next);
      } catch (RuntimeException | Error failure) {
        synchronized (this) {
          calling = false;
        }
        throw failure;
      }
    }
  }

  /**
   * Asks for a turn.
   *
   * @param begin what happens when it comes: at once, in this thread, or later, in that of whoever
   *     ended before; gets the turn, which has to be ended; neither waits nor throws
   * @return the turn; null when too many wait already
   */
  @Nullable Turn ask(Consumer<Turn> begin) {
    Turn turn = new Turn(begin);
    synchronized (this) {
      if (taken >= most) {
        if (waiting.size() >= mostWaiting) {
          return null;
        }
        waiting.add(turn);
        return turn;
      }
      taken++;
      turn.begun = true;
    }
    begin.accept(turn);
    return turn;
  }
}
