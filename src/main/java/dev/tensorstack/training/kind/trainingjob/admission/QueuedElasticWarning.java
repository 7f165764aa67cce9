package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Kueue admits as many pods as a group has at first, and deletes those that come later.
 *
 * <p>Warns of: an elastic job in a queue of Kueue, which cannot change the size of a group of pods.
 */
final class QueuedElasticWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "queued-elastic";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    boolean elastic = spec.elasticOn();
    if (!elastic || hasScheduler(spec) || !job.labels().containsKey(Labels.KUEUE_QUEUE)) {
      return List.of();
    }
    Integer nodes = spec.elastic().expectedReplicas();
    return List.of(
        "spec.elastic: label "
            + Labels.KUEUE_QUEUE
            + " gives the pods to Kueue, which admits a fixed number of them: keep"
            + " expectedReplicas at "
            + (nodes == null ? "its first value" : nodes.toString())
            + ", or leave out the label or elastic");
  }

  private static boolean hasScheduler(PyTorchTrainingJobSpec spec) {
    return spec.scheduler() != null
        && (spec.scheduler().t9kScheduler() != null
            || spec.scheduler().volcano() != null
            || spec.scheduler().coscheduling() != null
            || spec.scheduler().kubernetes() != null);
  }
}
