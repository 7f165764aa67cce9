package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.JobPhase;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.naming.Conditions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How much a change of the status matters to those who wait for it. */
public final class StatusChange {

  private static final Set<String> NOTHING_TO_TELL =
      Set.of(Conditions.Reasons.NONE, Conditions.Reasons.NOT_FINISHED);

  private StatusChange() {}

  /**
   * Whether a change only tells how the pods get on. That they are being created, and that all of
   * them are there, is progress too.
   *
   * @param before the stored status, or null
   * @param after the next status
   * @return true when phase, generation and conditions stay the same but for {@code Initialized}
   *     and for messages, unless all pods run again; of a first status when it only says that the
   *     job waits for its pods
   */
  public static boolean isProgressOnly(
      @Nullable PyTorchTrainingJobStatus before, PyTorchTrainingJobStatus after) {
    if (before == null || before.phase() == null) {
      return isPlainBeginning(after);
    }
    return Objects.equals(before.phase(), after.phase())
        && Objects.equals(before.observedGeneration(), after.observedGeneration())
        && states(before).equals(states(after))
        && !allRunAgain(before, after);
  }

  /** Whether the last of the pods that were missing runs: people wait for that. */
  private static boolean allRunAgain(
      PyTorchTrainingJobStatus before, PyTorchTrainingJobStatus after) {
    return missing(before) > 0 && missing(after) == 0;
  }

  private static int missing(PyTorchTrainingJobStatus status) {
    ReplicaAggregate aggregate = status.aggregate();
    return aggregate == null || status.replicas() == null
        ? 0
        : status.replicas() - aggregate.running() - aggregate.succeeded();
  }

  private static boolean isPlainBeginning(PyTorchTrainingJobStatus first) {
    return JobPhase.Pending.name().equals(first.phase())
        && conditions(first).stream().allMatch(StatusChange::saysNothing);
  }

  private static boolean saysNothing(JobCondition condition) {
    boolean usual =
        "False".equals(condition.status()) || Conditions.INITIALIZED.equals(condition.type());
    return usual && (condition.reason() == null || NOTHING_TO_TELL.contains(condition.reason()));
  }

  private static List<String> states(PyTorchTrainingJobStatus status) {
    return conditions(status).stream()
        .filter(condition -> !Conditions.INITIALIZED.equals(condition.type()))
        .map(condition -> condition.type() + "=" + condition.status() + "," + condition.reason())
        .toList();
  }

  private static List<JobCondition> conditions(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNullElse(status.conditions(), List.<JobCondition>of());
  }
}
