package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.Map;

/**
 * What warnings look at: a job as the user gave it, and what became of it.
 *
 * @param given the spec as the user wrote it, before any default; an empty one when there is none
 * @param labels the job's labels
 * @param subject the same job with all defaults, and the stored one when this is a change
 */
public record WarningContext(
    PyTorchTrainingJobSpec given, Map<String, String> labels, RuleContext subject) {

  /**
   * A job without labels.
   *
   * @param given the spec as the user wrote it
   * @param subject the same job with all defaults
   */
  public WarningContext(PyTorchTrainingJobSpec given, RuleContext subject) {
    this(given, Map.of(), subject);
  }
}
