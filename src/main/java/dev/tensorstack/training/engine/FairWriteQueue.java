package dev.tensorstack.training.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Runs writes for many jobs: at most so many at once in all, turn by turn between the jobs, and for
 * each job with a slow start. A turn is a few writes: many small jobs are then served one after the
 * other, so that half of them run in half of the time, while a large one holds up nobody for long.
 *
 * <p>A job's writes stand in two lines: what is urgent (deletions) goes before the others
 * (creations), and each line has a slow start of its own. A line begins with a few writes, with one
 * after a refusal; each success allows one more beside it, so that the number doubles with every
 * round trip; a refusal cancels what the line still had waiting, because the next would most likely
 * be refused as well. What waits can be called back, and replaced by what a newer plan wants.
 */
public final class FairWriteQueue implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(FairWriteQueue.class);
  private static final long CLOSE_SECONDS = 5;

  /** All that a small job needs at once; no more are sent in vain when the first is refused. */
  private static final int FIRST_WRITES = 8;

  private static final int WRITES_OF_A_TURN = 8;

  /** So long the API server is busy with what was created: kubelets and controllers follow. */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  /**
   * A write to make. All but {@link #run} are told in the order in which it happens and must be
   * short: nothing of any job begins meanwhile.
   */
  interface Write {
    /**
     * It is about to wait in the line that {@link FairWriteQueue#replace} makes anew.
     *
     * @return false when it is not to be made after all
     */
    default boolean enters() {
      return true;
    }

    /** It leaves the line to be made, and cannot be called back any more. */
    default void begins() {}

    /** Makes the write in a thread of the queue and says whether it was accepted. */
    boolean run();

    /** Told instead of {@link #run} when it was called back, or an earlier one was refused. */
    void cancelled();
  }

  /** Some of a job's writes: those that wait, and how many may be under way at once. */
  private static final class Line {
    private final ArrayDeque<Write> waiting = new ArrayDeque<>();
    private int running;
    private int window = FIRST_WRITES;

    private boolean isIdle() {
      return waiting.isEmpty() && running == 0;
    }

    private boolean mayBegin() {
      return !waiting.isEmpty() && running < window;
    }

    /** Takes out what does not meet the condition. */
    private List<Write> takeOut(Predicate<Write> kept) {
      List<Write> out = new ArrayList<>();
      waiting.removeIf(
          write -> {
            boolean leaves = !kept.test(write);
            if (leaves) {
              out.add(write);
            }
            return leaves;
          });
      return out;
    }
  }

  private static final class Lane {
    private final Line urgent = new Line();
    private final Line others = new Line();
    private int turn = WRITES_OF_A_TURN;
    private boolean queued;

    private boolean isIdle() {
      return urgent.isIdle() && others.isIdle();
    }

    private boolean mayBegin() {
      return urgent.mayBegin() || others.mayBegin();
    }

    private Line next() {
      return urgent.mayBegin() ? urgent : others;
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
    return new FairWriteQueue(parallelism, DaemonThreads.upTo(parallelism, "pod-writer"), clock);
  }

  /**
   * Begins no more writes: what waits is planned again by the operator that comes next. Idempotent.
   */
  public synchronized void beginNoMore() {
    closed = true;
  }

  /**
   * Begins no more writes and waits for those in flight, a few seconds at most. What was waiting is
   * planned again by the operator that comes next. Idempotent.
   */
  @Override
  public void close() {
    beginNoMore();
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
    add(job, lane -> lane.others, writes, slowly);
  }

  /**
   * Adds urgent writes of a job: before its others, behind the urgent ones that it has waiting.
   *
   * @param job what identifies the job
   * @param writes the writes, in order
   * @param slowly whether to begin with one
   */
  synchronized void submitFirst(Object job, List<? extends Write> writes, boolean slowly) {
    add(job, lane -> lane.urgent, writes, slowly);
  }

  private void add(
      Object job, Function<Lane, Line> which, List<? extends Write> writes, boolean slowly) {
    if (writes.isEmpty()) {
      return;
    }
    Lane lane = lanes.computeIfAbsent(job, any -> new Lane());
    Line line = which.apply(lane);
    startSlowly(line, slowly);
    line.waiting.addAll(writes);
    takeTurn(job, lane);
    dispatch();
  }

  private static void startSlowly(Line line, boolean slowly) {
    if (line.isIdle()) {
      line.window = slowly ? 1 : FIRST_WRITES;
    }
  }

  /**
   * Lets other writes of a job wait in the place of those that are not urgent. The job keeps its
   * turn. Those that waited are told that they are cancelled, then the new ones that they enter.
   *
   * @param job what identifies the job
   * @param writes all that shall wait from now on, in order
   * @param slowly whether to begin with one, when none is under way
   */
  synchronized void replace(Object job, List<? extends Write> writes, boolean slowly) {
    Lane lane = lanes.get(job);
    if (lane == null && writes.isEmpty()) {
      return;
    }
    if (lane == null) {
      lane = new Lane();
      lanes.put(job, lane);
    }
    startSlowly(lane.others, slowly);
    lane.others.takeOut(any -> false).forEach(Write::cancelled);
    for (Write write : writes) {
      if (write.enters()) {
        lane.others.waiting.add(write);
      }
    }
    settle(job, lane);
    dispatch();
  }

  /**
   * Calls writes of a job back, urgent or not. Once it returns, none of them begins any more.
   *
   * @param job what identifies the job
   * @param kept those that shall go on waiting
   */
  synchronized void retain(Object job, Predicate<Write> kept) {
    Lane lane = lanes.get(job);
    if (lane != null) {
      lane.urgent.takeOut(kept).forEach(Write::cancelled);
      lane.others.takeOut(kept).forEach(Write::cancelled);
      settle(job, lane);
      dispatch();
    }
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
    if (!lane.queued && lane.mayBegin()) {
      lane.queued = true;
      turns.addLast(job);
    }
  }

  /** After a change of what waits: a job has a turn when it has something to begin, else none. */
  private void settle(Object job, Lane lane) {
    if (lane.isIdle()) {
      lanes.remove(job);
    }
    if (lane.queued && !lane.mayBegin()) {
      turns.remove(job);
      lane.queued = false;
      lane.turn = WRITES_OF_A_TURN;
    }
    takeTurn(job, lane);
  }

  private void dispatch() {
    while (running < parallelism && !closed) {
      Object job = turns.peekFirst();
      if (job == null) {
        return;
      }
      // Who waits for a turn has something to write, see takeTurn and settle.
      Lane lane = Objects.requireNonNull(lanes.get(job));
      Line line = lane.next();
      Write write = line.waiting.removeFirst();
      write.begins();
      line.running++;
      lane.turn--;
      running++;
      if (lane.turn == 0 || !lane.mayBegin()) {
        endTurn(job, lane);
      }
      threads.execute(() -> runOne(job, line, write));
    }
  }

  /** The next job's turn; this one waits behind the others if it has more to write. */
  private void endTurn(Object job, Lane lane) {
    turns.removeFirst();
    lane.queued = false;
    lane.turn = WRITES_OF_A_TURN;
    takeTurn(job, lane);
  }

  private void runOne(Object job, Line line, Write write) {
    boolean accepted = false;
    try {
      accepted = write.run();
    } finally {
      finished(job, line, accepted);
    }
  }

  private synchronized void finished(Object job, Line line, boolean accepted) {
    Lane lane = Objects.requireNonNull(lanes.get(job));
    if (jobsWait()) {
      busyUntil = clock.instant().plus(AFTERMATH);
    }
    running--;
    line.running--;
    if (accepted) {
      line.window++;
    } else {
      line.window = 1;
      line.takeOut(any -> false).forEach(Write::cancelled);
    }
    settle(job, lane);
    dispatch();
  }
}
