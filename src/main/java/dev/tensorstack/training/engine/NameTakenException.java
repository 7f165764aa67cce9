package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** An object that a job needs has the name of one that belongs to somebody else. */
final class NameTakenException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean ending;

  /**
   * A collision.
   *
   * @param existing the object that has the name
   * @param job the job that needs it
   */
  NameTakenException(HasMetadata existing, TrainingJob job) {
    super(existing.getMetadata().getName());
    ending = OwnedBy.isAboutToGo(existing, job);
  }

  /** What kind of refusal it is. */
  WriteFailure.Kind kind() {
    return ending ? WriteFailure.Kind.NAME_ENDING : WriteFailure.Kind.NAME_TAKEN;
  }

  /** What to say of it. */
  String words() {
    return ending
        ? "an earlier object of this name is still being deleted"
        : "the name belongs to an object of somebody else, which is left alone: delete that, or"
            + " create the job under another name";
  }
}
