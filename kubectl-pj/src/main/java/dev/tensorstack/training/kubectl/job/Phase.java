package dev.tensorstack.training.kubectl.job;

/** How a job is, in one word; the same words for both kinds. */
public enum Phase {
  /** Pods are being created, wait, start, or are being replaced. */
  Pending,
  /** The training runs. */
  Running,
  /** Nothing runs, because somebody paused or suspended the job. */
  Paused,
  /** Pods come back after a pause. */
  Resuming,
  /** It ended well. */
  Succeeded,
  /** It ended badly. */
  Failed,
  /** The master's state cannot be known. */
  Unknown;

  /**
   * Whether the job has ended.
   *
   * @return true for {@link #Succeeded} and {@link #Failed}, which nothing leaves
   */
  public boolean isEnd() {
    return this == Succeeded || this == Failed;
  }

  /**
   * The phase of a word.
   *
   * @param word a phase as the status spells it; a word of a newer operator reads as {@link
   *     #Unknown}
   * @return the phase
   */
  static Phase of(String word) {
    for (Phase phase : values()) {
      if (phase.name().equals(word)) {
        return phase;
      }
    }
    return Unknown;
  }
}
