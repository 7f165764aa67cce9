package dev.tensorstack.training.kind;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an administrator gives the new jobs of all kinds where their users say nothing
 * (docs/operations/defaults.md). It is written into a job by the mutating webhook when the job is
 * created, so that a changed setting never changes a job that exists.
 *
 * @param cleanUp which pods are deleted once a job has ended; null for the kind's own default
 * @param ttlSecondsAfterFinished after how many seconds an ended job is deleted; null for never
 * @param queue the LocalQueue of Kueue that a job waits in; null for none
 */
public record ClusterDefaults(
    @Nullable CleanUp cleanUp, @Nullable Integer ttlSecondsAfterFinished, @Nullable String queue) {

  /** No defaults but those of the kinds. */
  public static final ClusterDefaults NONE = new ClusterDefaults(null, null, null);

  /** Which pods are deleted once a job has ended. */
  public enum CleanUp {
    /** All pods. */
    All,
    /** Those that still run or wait. */
    Unfinished,
    /** None. */
    None
  }

  /**
   * The value of a field. A field that a change leaves out keeps the default that the job was
   * created with, as long as that is the setting; what was never given is not given later.
   *
   * @param given what the user says, or null
   * @param isNew whether the job, or the part of it that the field belongs to, is new
   * @param stored what is stored, or null
   * @param setting the administrator's default, or null
   * @param <T> the type of the field
   * @return the value, or null for the kind's own default
   */
  public static <T> @Nullable T value(
      @Nullable T given, boolean isNew, @Nullable T stored, @Nullable T setting) {
    if (given != null || setting == null) {
      return given;
    }
    return isNew || Objects.equals(stored, setting) ? setting : null;
  }
}
