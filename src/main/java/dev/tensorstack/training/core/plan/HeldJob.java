package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.ReplicaId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A job whose queue lets it have no pods any more. It is a pause that nobody has asked for: never a
 * failure, and it costs nothing. Once begun, it is carried through until no pod runs; then the job
 * gives back what it holds, waits for its turn, and starts all its pods anew
 * (docs/design/queue.md).
 */
final class HeldJob {

  private final CurrentReplicas current;
  private final QueueState queue;
  private final PlanSettings settings;
  private final Instant now;

  HeldJob(CurrentReplicas current, QueueState queue, PlanSettings settings, Instant now) {
    this.current = current;
    this.queue = queue;
    this.settings = settings;
    this.now = now;
  }

  /**
   * Whether a job that is not held has to be.
   *
   * @return false also for a job that has no pods yet and waits for its first turn; true for one
   *     that holds a share which it cannot use, with or without pods
   */
  boolean begins() {
    if (queue.why(current) == null) {
      return false;
    }
    boolean hasPods =
        current.seen().pods().stream().anyMatch(pod -> !pod.ended())
            || current.all().stream().anyMatch(CurrentReplica::used);
    return hasPods || queue.holdsAShare();
  }

  /** The queue lets the job have no pods any more. */
  Plan begin(Ledger ledger) {
    return stop(ledger.withHold(Ledger.Hold.STOPPING));
  }

  /** Stops what runs; waits once nothing does any more. */
  Plan stop(Ledger ledger) {
    StoppingPods pods = StoppingPods.of(current.seen(), settings, now);
    Ledger next = pods.unfinished() ? ledger : ledger.withHold(Ledger.Hold.WAITING);
    return new Plan(
        Plan.Stage.HELD,
        next,
        current.with(next),
        pods.deletions(),
        pods.unfinished() ? pods.requeueAt() : now,
        gate());
  }

  /** Nothing runs, and nothing shall before the job's turn: a pod that turns up late goes. */
  Plan stay(Ledger ledger) {
    StoppingPods pods = StoppingPods.of(current.seen(), settings, now);
    return new Plan(
        Plan.Stage.HELD,
        ledger,
        current.with(ledger),
        pods.deletions(),
        pods.unfinished() ? pods.requeueAt() : pods.deletableAt(),
        gate());
  }

  private GangGate gate() {
    String why = queue.why(restarted());
    return why == null ? new GangGate.Opening() : new GangGate.Queued(why);
  }

  /**
   * Whether the job may have all its pods: a share of which a part was given back is none.
   *
   * @return true also when it is in no queue any more
   */
  boolean isOver() {
    return queue.unknown() == null
        && queue.why(restarted()) == null
        && !StoppingPods.of(current.seen(), settings, now).unfinished();
  }

  /** The replicas as they will be when it goes on: none is done. */
  private CurrentReplicas restarted() {
    return current.with(current.ledger().withSlots(slots()));
  }

  /** All replicas start anew, also those that were done; who waits for a delay goes on waiting. */
  Ledger release(Ledger ledger) {
    return ledger.withHold(null).withSlots(slots());
  }

  private Map<ReplicaId, Ledger.Slot> slots() {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>(current.ledger().slots());
    for (CurrentReplica replica : current.all()) {
      slots.put(replica.id(), replica.used() ? replica.slot().replaced(null) : replica.slot());
    }
    return slots;
  }

  /**
   * Whether the entry is of no use any more: it says nothing, or holds a share that is too small
   * for all pods and cannot grow.
   */
  static boolean isUsedUp(Plan plan, QueueState queue) {
    if (plan.stage() != Plan.Stage.HELD
        || plan.ledger().hold() != Ledger.Hold.WAITING
        || plan.current() == null) {
      return false;
    }
    QueueAnswer answer = queue.answer();
    return answer != null
        && (answer.state() == QueueAnswer.State.FINISHED
            || (answer.state() == QueueAnswer.State.ADMITTED
                && plan.gate() instanceof GangGate.Queued));
  }
}
