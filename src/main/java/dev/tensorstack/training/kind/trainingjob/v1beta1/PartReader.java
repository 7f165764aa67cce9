package dev.tensorstack.training.kind.trainingjob.v1beta1;

import dev.tensorstack.training.kind.TolerantReader;

/** The readers of a job's parts. */
final class PartReader {

  private PartReader() {}

  /** Reads {@code spec}. */
  static final class OfSpec extends TolerantReader<PyTorchTrainingJobSpec> {
    OfSpec() {
      super(PyTorchTrainingJobSpec.class, "spec");
    }
  }

  /** Reads {@code status}. */
  static final class OfStatus extends TolerantReader<PyTorchTrainingJobStatus> {
    OfStatus() {
      super(PyTorchTrainingJobStatus.class, "status");
    }
  }
}
