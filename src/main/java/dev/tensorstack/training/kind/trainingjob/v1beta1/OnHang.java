package dev.tensorstack.training.kind.trainingjob.v1beta1;

/** What happens when a training hangs. */
public enum OnHang {
  /** The job says so, and goes on. */
  Report,
  /** All pods are ended and start anew. */
  Restart
}
