package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How much a change of the status matters to those who wait for it. */
public final class StatusChange {

  private StatusChange() {}

  /**
   * Whether a change only tells how the pods get on.
   *
   * @param before the stored status, or null
   * @param after the next status
   * @return true when phase, generation and conditions (but for their messages) stay the same
   */
  public static boolean isProgressOnly(
      @Nullable PyTorchTrainingJobStatus before, PyTorchTrainingJobStatus after) {
    return before != null
        && Objects.equals(before.phase(), after.phase())
        && Objects.equals(before.observedGeneration(), after.observedGeneration())
        && states(before).equals(states(after));
  }

  private static List<String> states(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNullElse(status.conditions(), List.<JobCondition>of()).stream()
        .map(condition -> condition.type() + "=" + condition.status() + "," + condition.reason())
        .toList();
  }
}
