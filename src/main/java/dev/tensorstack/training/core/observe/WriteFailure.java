package dev.tensorstack.training.core.observe;

import java.time.Instant;

/**
 * A write for the job that the API server has refused, the last time that it was tried. It is not
 * kept anywhere: after a restart of the operator the write is simply tried again.
 *
 * @param write what was to be done, and to which object
 * @param kind what kind of refusal it was
 * @param message the API server's words
 * @param retryAt when it may be tried again
 * @param retried whether it is being tried again: sent, and not yet answered
 */
public record WriteFailure(
    ObjectWrite write, Kind kind, String message, Instant retryAt, boolean retried) {

  /**
   * A refusal after which nothing was tried yet.
   *
   * @param write what was to be done, and to which object
   * @param kind what kind of refusal it was
   * @param message the API server's words
   * @param retryAt when it may be tried again
   */
  public WriteFailure(ObjectWrite write, Kind kind, String message, Instant retryAt) {
    this(write, kind, message, retryAt, false);
  }

  /** Kinds of refusals, by what a user can do about them. */
  public enum Kind {
    /** An object of that name belongs to somebody else. */
    NAME_TAKEN,
    /** An object of that name belongs to somebody else, and is about to go. */
    NAME_ENDING,
    /** A resource quota is used up. */
    QUOTA,
    /** The API server calls the object invalid. */
    INVALID,
    /** The API server does not allow it. */
    FORBIDDEN,
    /** Anything else: time-outs, conflicts, server errors. */
    TRANSIENT
  }

  /**
   * Whether it passes by itself, as far as is known.
   *
   * @return false when somebody may have to do something about it
   */
  public boolean passes() {
    return kind == Kind.TRANSIENT || kind == Kind.NAME_ENDING;
  }

  /**
   * What happened, for people.
   *
   * @return the write and the API server's words
   */
  public String describe() {
    return write + ": " + message;
  }
}
