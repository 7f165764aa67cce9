package dev.tensorstack.training.kind.pytorchjob.spec;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;

/** How many processes torchrun starts in each pod. */
public final class ProcessesPerNode {

  /** What counts when nothing is given. */
  public static final String DEFAULT = "auto";

  private ProcessesPerNode() {}

  /**
   * The value that counts.
   *
   * @param spec any spec
   * @return {@code nprocPerNode}, else the deprecated {@code elasticPolicy.nProcPerNode}, else
   *     {@code auto}
   */
  public static String of(PyTorchJobSpec spec) {
    if (spec.nprocPerNode() != null) {
      return spec.nprocPerNode();
    }
    return spec.elasticPolicy() == null || spec.elasticPolicy().nProcPerNode() == null
        ? DEFAULT
        : spec.elasticPolicy().nProcPerNode().toString();
  }
}
