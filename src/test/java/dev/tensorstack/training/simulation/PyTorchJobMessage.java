package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import java.util.Objects;

/** The condition Failed names the pod that the job failed of, and its exit code. */
final class PyTorchJobMessage {

  private PyTorchJobMessage() {}

  static void check(PyTorchJobLook look, Memory memory) {
    JobCondition failed = PyTorchJobWords.condition(look.statusAfter, "Failed");
    if (look.before.ended() || failed == null) {
      return;
    }
    String message = Objects.requireNonNullElse(failed.message(), "");
    boolean right =
        switch (look.after.endReason()) {
          case "DeadlineExceeded" -> message.contains("activeDeadlineSeconds");
          // What was announced stays, whatever the limit has become meanwhile.
          case "BackoffLimitExceeded" ->
              message.contains("backoffLimit of " + look.limit())
                  || (look.endingBefore != null
                      && message.contains(look.endingBefore.outcome().message()));
          default -> true;
        };
    Invariants.require(right, "Failed says why", message, look);
    if (look.after.endReason().equals("DeadlineExceeded")) {
      return;
    }
    // Where all of those that are not started again were done, nobody has failed.
    boolean notStartedAgain =
        !look.backingOff.isEmpty()
            && (message.contains("containers ended")
                || look.backingOff.stream()
                    .anyMatch(id -> message.contains("pod " + look.entry(id).name() + " ")));
    boolean byKubelet = !look.restarted.isEmpty() || notStartedAgain || look.endingBefore != null;
    Invariants.require(
        look.failures(memory).stream()
                .anyMatch(
                    one ->
                        message.contains("pod " + look.entry(one.id()).name() + " ")
                            && (one.fate().kind() != Fate.Kind.APPLICATION
                                || look.exitCode(one.fate()) == null
                                || message.contains("exit code " + one.fate().exitCode())))
            || (byKubelet && look.after.endReason().equals("BackoffLimitExceeded")),
        "Failed names the pod and its exit code",
        message,
        look);
  }
}
