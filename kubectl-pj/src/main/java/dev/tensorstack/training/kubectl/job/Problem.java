package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the operator found wrong with a training although its pods run.
 *
 * @param reason {@link #NO_PROGRESS}, {@link #NOT_A_NUMBER}, or a word of a newer operator
 * @param message what was found
 * @param since when it was found; null when it is not known
 */
public record Problem(String reason, @Nullable String message, @Nullable Instant since) {

  /** The training reports no new step: it hangs. */
  public static final String NO_PROGRESS = "NoProgress";

  /** The training reports a metric that is no number any more. */
  public static final String NOT_A_NUMBER = "NotANumber";

  /** The reasons that are known. */
  static final Set<String> REASONS = Set.of(NO_PROGRESS, NOT_A_NUMBER);

  /**
   * The problem in words.
   *
   * @return the reason and what was found
   */
  public String inWords() {
    return message == null ? reason : reason + ", " + message;
  }

  /**
   * Reads a problem.
   *
   * @param tree {@code status.training.problem}
   * @return the problem; null when there is none
   */
  static @Nullable Problem of(Tree tree) {
    String reason = tree.text("reason");
    return reason == null ? null : new Problem(reason, tree.text("message"), tree.time("since"));
  }
}
