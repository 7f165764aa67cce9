package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.policy.BackoffWindow;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Restarts as the ledger counts them, and the delay before each. */
final class Restarts {

  /** As many disruptions as any row of delays needs, and few enough for a status. */
  private static final int REMEMBERED_DISRUPTIONS = 100;

  private final PlanSettings settings;
  private final RunPolicy policy;
  private final Instant now;

  Restarts(PlanSettings settings, RunPolicy policy, Instant now) {
    this.settings = settings;
    this.policy = policy;
    this.now = now;
  }

  /** The ledger with a restart counted, and a disruption remembered. */
  Ledger counted(Ledger ledger, PodFailure failure, boolean newAttempt) {
    boolean disruption = failure.cause() == FailureCause.Disruption;
    Ledger.Counts counts =
        ledger.counts().restarted(failure.replica().type(), disruption, newAttempt, now);
    Ledger counted = ledger.failed(failure.toLedger(), counts);
    return disruption ? disrupted(counted, failure) : counted;
  }

  /** The ledger with a disruption remembered. */
  Ledger disrupted(Ledger ledger, PodFailure failure) {
    List<Ledger.RecentDisruption> recent =
        new ArrayList<>(
            ledger.disrupted().stream()
                .filter(one -> settings.disruptionDelay().counts(one.time(), now))
                .toList());
    recent.add(new Ledger.RecentDisruption(failure.replica(), failure.time()));
    int from = Math.max(0, recent.size() - REMEMBERED_DISRUPTIONS);
    return ledger.withDisrupted(List.copyOf(recent.subList(from, recent.size())));
  }

  /**
   * The earliest moment of the creations that a failure asks for.
   *
   * @param ledger the ledger with the failure in it
   * @param cause what the delay is for
   * @param failedAt when the failure happened
   * @return the moment, on a whole second as the status has it; null for at once
   */
  @Nullable Instant notBefore(Ledger ledger, FailureCause cause, Instant failedAt) {
    Duration delay =
        cause == FailureCause.Disruption
            ? settings.disruptionDelay().before(ledger.disrupted().size())
            : settings.restartDelay().before(BackoffWindow.count(policy, ledger.counts(), now));
    return delay.isZero() ? null : wholeSecond(failedAt.plus(delay));
  }

  private static Instant wholeSecond(Instant moment) {
    Instant floor = moment.truncatedTo(ChronoUnit.SECONDS);
    return floor.equals(moment) ? moment : floor.plusSeconds(1);
  }
}
