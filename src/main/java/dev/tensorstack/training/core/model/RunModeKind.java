package dev.tensorstack.training.core.model;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a pod was made to do; it is written into the pod's label, so that it survives. */
public enum RunModeKind {
  /** Train, as the template says. */
  TRAIN,
  /** Train, with the job's resumeSpecs. */
  RESUME,
  /** Wait for somebody to look around. */
  DEBUG;

  /**
   * The label's value.
   *
   * @return the name in lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The word in {@code status.runMode}.
   *
   * @return Train, Resume or Debug
   */
  public String word() {
    return name().charAt(0) + label().substring(1);
  }

  /**
   * Reads {@code status.runMode}.
   *
   * @param word the word, or null before the first pods
   * @return the mode; null for null and for words of a later version
   */
  public static @Nullable RunModeKind ofWord(@Nullable String word) {
    for (RunModeKind kind : values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
    }
    return null;
  }

  /**
   * Reads the label.
   *
   * @param label its value, or null when the pod has none
   * @return the mode; TRAIN for null and for words of a later version
   */
  public static RunModeKind ofLabel(@Nullable String label) {
    for (RunModeKind kind : values()) {
      if (kind.label().equals(label)) {
        return kind;
      }
    }
    return TRAIN;
  }
}
