package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.report.LedgerDecoder;
import dev.tensorstack.training.core.report.TrainingCodec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import org.jspecify.annotations.Nullable;

/** Reads what a status remembers, whichever version has written it. */
public final class StatusReader {

  private StatusReader() {}

  /**
   * Reads the ledger.
   *
   * @param status the status, or null for a job that has none yet
   * @param names the names of the job
   * @return the ledger; all zero for a job without status
   */
  public static Ledger ledger(@Nullable PyTorchTrainingJobStatus status, JobNaming names) {
    if (status == null) {
      return Ledger.EMPTY;
    }
    return status.ledger() == null
        ? UnversionedStatus.ledger(status, names)
        : LedgerDecoder.ledger(status.ledger(), names)
            .withTraining(TrainingCodec.read(status.training()));
  }

  /**
   * Reads the summary.
   *
   * @param status the status, or null for a job that has none yet
   * @return the summary; null when nothing was said about the job yet
   */
  public static @Nullable JobSummary summary(@Nullable PyTorchTrainingJobStatus status) {
    if (status == null) {
      return null;
    }
    return status.ledger() == null
        ? UnversionedStatus.summary(status)
        : LedgerDecoder.summary(status.ledger());
  }
}
