package dev.tensorstack.training.simulation;

/** Which containers of a pod its kubelet starts again: the pod's restart policy. */
enum KubeletRestarts {
  /** None: a container that ends has ended for good. */
  NEVER,
  /** Those that fail. */
  ON_FAILURE,
  /** All. */
  ALWAYS
}
