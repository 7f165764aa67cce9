package dev.tensorstack.training.kind.pytorchjob.v1;

/** What to do when a pod fails. */
public enum RestartPolicy {
  /** The kubelet restarts its containers. */
  Always,
  /** The kubelet restarts its containers. */
  OnFailure,
  /** The job fails. */
  Never,
  /** The exit code decides. */
  ExitCode
}
