package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.Problem;
import org.jspecify.annotations.Nullable;

/** The failure behind what happened. */
final class RootCause {

  private RootCause() {}

  /**
   * Says what has not been said of a failure.
   *
   * @param failure the failure
   * @param said what the paragraph says of it already
   * @param text is added to
   */
  static void tell(PodFailure failure, String said, Sentences text) {
    String words = failure.message();
    boolean told = words != null && said.contains(words);
    boolean named =
        failure.isProblem() ? told : failure.pod() == null || said.contains(failure.pod());
    if (!named) {
      text.say("The last failure: " + inWords(failure, text));
    }
    if (words != null && !told) {
      text.say((failure.isProblem() ? "What was found: " : "Its last words: ") + words);
    }
    text.say(hint(failure));
  }

  /**
   * A failure, and how long ago it was.
   *
   * @param failure the failure
   * @param text the paragraph that it is for
   * @return a part of a sentence
   */
  static String inWords(PodFailure failure, Sentences text) {
    return failure.inWords()
        + (failure.time() == null ? "" : ", " + text.since(failure.time()) + " ago");
  }

  private static String hint(PodFailure failure) {
    if ("OOMKilled".equals(failure.reason())) {
      return "It used more memory than its limit: raise resources.limits.memory, or use less";
    }
    return failure.isDisruption()
        ? "That was a disruption from outside, not a fault of the training"
        : problemHint(failure.reason());
  }

  private static String problemHint(@Nullable String reason) {
    return Problem.NOT_A_NUMBER.equals(reason)
        ? "Where it goes on from a checkpoint, that has to be one from before it"
        : "";
  }
}
