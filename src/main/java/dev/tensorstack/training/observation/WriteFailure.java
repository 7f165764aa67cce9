package dev.tensorstack.training.observation;

import java.time.Instant;

/**
 * A write for the job that the API server refused, the last one of its kind. It is not kept
 * anywhere: after a restart of the operator the write is simply tried again.
 *
 * @param object what was to be written, for example {@code pod mnist-12e8d-worker-0}
 * @param kind what kind of refusal it was
 * @param message the API server's words
 * @param retryAt when the job's next write may be tried
 */
public record WriteFailure(String object, Kind kind, String message, Instant retryAt) {

  /** Kinds of refusals, by what a user can do about them. */
  public enum Kind {
    /** An object of that name belongs to somebody else. */
    NAME_TAKEN,
    /** A resource quota is used up. */
    QUOTA,
    /** The API server calls the object invalid. */
    INVALID,
    /** The API server does not allow it. */
    FORBIDDEN,
    /** A deletion was refused, for whatever reason. */
    DELETION,
    /** Anything else: time-outs, conflicts, server errors. */
    TRANSIENT
  }
}
