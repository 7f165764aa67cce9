package dev.tensorstack.training.controller;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Runs writes for many jobs: at most so many at once in all, turn by turn between the jobs, and for
 * each job with a slow start. A turn is a few writes: many small jobs are then served one after the
 * other, so that half of them run in half of the time, while a large one holds up nobody for long.
 * A job begins with a few writes, with one after a refusal; each success allows one more beside it,
 * so that the number doubles with every round trip; a refusal cancels what the job still had
 * waiting, because the next would most likely be refused as well.
 */
public final class FairWriteQueue implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(FairWriteQueue.class);
  private static final long CLOSE_SECONDS = 5;

  /** All that a small job needs at once; no more are sent in vain when the first is refused. */
  private static final int FIRST_WRITES = 8;

  private static final int WRITES_OF_A_TURN = 8;

  /** So long the API server is busy with what was created: kubelets and controllers follow. */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  /** A write to make. */
  interface Write {
    /** Makes the write in a thread of the queue and says whether it was accepted. */
    boolean run();

    /** Told instead of {@link #run} when an earlier write of the same job was refused. */
    void cancelled();
  }

  private static final class Lane {
    private final ArrayDeque<Write> waiting = new ArrayDeque<>();
    private int running;
    private int window;
    private int turn = WRITES_OF_A_TURN;
    private boolean queued;

    private Lane(int window) {
      this.window = window;
    }
  }

  private final int parallelism;
  private final Executor threads;
  private final Map<Object, Lane> lanes = new HashMap<>();
  private final ArrayDeque<Object> turns = new ArrayDeque<>();
  private final InstantSource clock;
  private int running;
  private Instant busyUntil = Instant.MIN;
  private boolean closed;

  /**
   * A queue.
   *
   * @param parallelism the greatest number of writes at once
   * @param threads where writes run; must have at least that many threads
   * @param clock the time
   */
  FairWriteQueue(int parallelism, Executor threads, InstantSource clock) {
    this.parallelism = parallelism;
    this.threads = threads;
    this.clock = clock;
  }

  /**
   * A queue with threads of its own, which end when they are idle for long.
   *
   * @param parallelism the greatest number of writes at once, in all
   * @param clock the time
   * @return the queue
   */
  public static FairWriteQueue withOwnThreads(int parallelism, InstantSource clock) {
    return new FairWriteQueue(parallelism, WriteThreads.upTo(parallelism, "pod-writer"), clock);
  }

  /**
   * Begins no more writes and waits for those in flight, a few seconds at most. What was waiting is
   * planned again by the operator that comes next. Idempotent.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    if (threads instanceof ExecutorService service) {
      service.shutdown();
      try {
        if (!service.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
          LOG.warn("writes are still in flight; the operator ends without their answers");
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Adds writes of a job behind those that it has waiting.
   *
   * @param job what identifies the job
   * @param writes the writes, in order
   * @param slowly whether to begin with one: the job's last write was refused, or they depend on
   *     each other
   */
  synchronized void submit(Object job, List<? extends Write> writes, boolean slowly) {
    if (writes.isEmpty()) {
      return;
    }
    Lane lane = lanes.computeIfAbsent(job, any -> new Lane(slowly ? 1 : FIRST_WRITES));
    lane.waiting.addAll(writes);
    takeTurn(job, lane);
    dispatch();
  }

  /**
   * Whether jobs wait for each other: as many writes as may be are under way, and not of one job
   * alone; or were a moment ago. What can wait as well then should.
   */
  synchronized boolean isBusy() {
    return jobsWait() || clock.instant().isBefore(busyUntil);
  }

  private boolean jobsWait() {
    return running == parallelism && lanes.size() > 1;
  }

  private void takeTurn(Object job, Lane lane) {
    if (!lane.queued && !lane.waiting.isEmpty() && lane.running < lane.window) {
      lane.queued = true;
      turns.addLast(job);
    }
  }

  private void dispatch() {
    while (running < parallelism && !closed) {
      Object job = turns.peekFirst();
      if (job == null) {
        return;
      }
      // Who waits for a turn has something to write, see takeTurn and cancelWaiting.
      Lane lane = Objects.requireNonNull(lanes.get(job));
      Write write = lane.waiting.removeFirst();
      lane.running++;
      lane.turn--;
      running++;
      if (lane.turn == 0 || lane.waiting.isEmpty() || lane.running >= lane.window) {
        endTurn(job, lane);
      }
      threads.execute(() -> runOne(job, write));
    }
  }

  /** The next job's turn; this one waits behind the others if it has more to write. */
  private void endTurn(Object job, Lane lane) {
    turns.removeFirst();
    lane.queued = false;
    lane.turn = WRITES_OF_A_TURN;
    takeTurn(job, lane);
  }

  /** Takes what a job has waiting out of the queue, and its turn with it. */
  private List<Write> cancelWaiting(Object job, Lane lane) {
    List<Write> cancelled = List.copyOf(lane.waiting);
    lane.waiting.clear();
    if (lane.queued) {
      turns.remove(job);
      lane.queued = false;
      lane.turn = WRITES_OF_A_TURN;
    }
    return cancelled;
  }

  private void runOne(Object job, Write write) {
    boolean accepted = false;
    try {
      accepted = write.run();
    } finally {
      finished(job, accepted).forEach(Write::cancelled);
    }
  }

  private synchronized List<Write> finished(Object job, boolean accepted) {
    List<Write> cancelled = List.of();
    Lane lane = Objects.requireNonNull(lanes.get(job));
    if (jobsWait()) {
      busyUntil = clock.instant().plus(AFTERMATH);
    }
    running--;
    lane.running--;
    if (accepted) {
      lane.window++;
    } else {
      lane.window = 1;
      cancelled = cancelWaiting(job, lane);
    }
    if (lane.waiting.isEmpty() && lane.running == 0) {
      lanes.remove(job);
    } else {
      takeTurn(job, lane);
    }
    dispatch();
    return cancelled;
  }
}
