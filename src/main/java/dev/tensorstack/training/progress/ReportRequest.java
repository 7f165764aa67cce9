package dev.tensorstack.training.progress;

import org.jspecify.annotations.Nullable;

/**
 * A report as it comes over HTTP.
 *
 * @param plural the plural of the job's kind
 * @param namespace the job's namespace
 * @param job the job's name
 * @param token the bearer token; null when there is none
 * @param body what was sent
 * @param sender the IP address of the sender
 * @param passedOn whether another replica has passed it on
 */
record ReportRequest(
    String plural,
    String namespace,
    String job,
    @Nullable String token,
    byte[] body,
    String sender,
    boolean passedOn) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
