package dev.tensorstack.training.core.model;

/**
 * One place of training logs.
 *
 * @param kind where it is
 * @param holder the persistent volume claim, or the Secret with an object store's credentials;
 *     empty for HTTP
 * @param path the directory in the claim, without a slash at its ends and empty for the root; or
 *     the whole address {@code s3://…}, {@code http://…}
 */
public record LogSource(Kind kind, String holder, String path) {

  /** Kinds of places. */
  public enum Kind {
    /** A directory in a persistent volume claim. */
    CLAIM,
    /** A prefix in an S3 object store. */
    OBJECT_STORE,
    /** An address of a web server. */
    HTTP
  }
}
