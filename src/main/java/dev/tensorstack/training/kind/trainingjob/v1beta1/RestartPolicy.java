package dev.tensorstack.training.kind.trainingjob.v1beta1;

/** What to do when a pod of a replica type ends (docs/concepts.md, Success and failure). */
public enum RestartPolicy {
  /** Restart after success too. */
  Always,
  /** Restart after a failure. */
  OnFailure,
  /** Fail the job with the pod. */
  Never,
  /** Restart when the exit code is retryable. */
  ExitCode
}
