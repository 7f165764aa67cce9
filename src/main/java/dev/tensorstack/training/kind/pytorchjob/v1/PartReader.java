package dev.tensorstack.training.kind.pytorchjob.v1;

import dev.tensorstack.training.kind.TolerantReader;

/** The readers of a job's parts. */
final class PartReader {

  private PartReader() {}

  /** Reads {@code spec}. */
  static final class OfSpec extends TolerantReader<PyTorchJobSpec> {
    OfSpec() {
      super(PyTorchJobSpec.class, "spec");
    }
  }

  /** Reads {@code status}. */
  static final class OfStatus extends TolerantReader<PyTorchJobStatus> {
    OfStatus() {
      super(PyTorchJobStatus.class, "status");
    }
  }
}
