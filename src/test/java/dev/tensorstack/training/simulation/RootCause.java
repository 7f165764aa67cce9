package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import java.time.Instant;
import java.util.Objects;

/** The failure that a status names is the one that began it, and is described as it was. */
final class RootCause {

  private RootCause() {}

  static void check(Look look, Memory memory) {
    LastFailure said = look.after.failure();
    if (look.before.ended() || Objects.equals(said, look.before.failure())) {
      return;
    }
    Look.Failure named = Outcomes.named(look, memory);
    Invariants.require(
        named != null,
        look.fates.entrySet().stream()
                .anyMatch(
                    one ->
                        memory.tolerated.contains(one.getValue().uid())
                            && look.entry(one.getKey()).name().equals(said.pod()))
            ? EndedStays.NO_NEW_FAILURE
            : "a failure that is told of has happened",
        said,
        look);
    boolean byItself = named.fate().kind() == Fate.Kind.APPLICATION;
    Invariants.require(
        said.cause().equals(byItself ? "Application" : "Disruption")
            && said.replica().equals(named.id().toString())
            && (!byItself || Objects.equals(said.exitCode(), named.fate().exitCode())),
        "a failure is described as it was",
        said,
        named);
    boolean ends = look.after.ended();
    // Which of those that an elastic job went on without is the root is not promised.
    if (ends ? look.spec.elasticOn() : !(look.scopeJob() && look.attempts() == 1)) {
      return;
    }
    Instant from = SimulatedPod.second(named.fate().from()).minus(Contract.CLOCK);
    boolean terminal = !look.restarts(named.id(), named.fate());
    for (Look.Failure other : look.failures(memory)) {
      // One after the other, those that come before the one over the limit are restarted; those
      // that come after it are what an elastic job went on without.
      boolean application = other.fate().kind() == Fate.Kind.APPLICATION;
      boolean paidFor =
          ends
              ? application && !look.scopeJob() && look.backoffs() > 0
              : application && look.spentBefore() >= look.spec.runPolicy().backoffLimit();
      boolean counts =
          other.fate().certain()
              && !paidFor
              && !other.id().equals(named.id())
              && look.after.replicas().containsKey(other.id())
              && terminal == !look.restarts(other.id(), other.fate());
      Invariants.require(
          !counts || !SimulatedPod.second(other.fate().until()).isBefore(from),
          "the earliest failure is the one that is told of",
          other,
          "but",
          named,
          look);
    }
  }
}
