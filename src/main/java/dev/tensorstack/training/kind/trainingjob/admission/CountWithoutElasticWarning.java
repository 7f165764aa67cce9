package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Nothing is made of the number, but what asks {@code scale} for the number of pods is misled.
 *
 * <p>Warns of: expectedReplicas of a job that is not elastic and has another number of pods.
 */
final class CountWithoutElasticWarning implements Warning<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "count-without-elastic";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    if (spec.elasticOn() || spec.elastic() == null) {
      return List.of();
    }
    Integer pods = ReplicaCount.of(spec.replicaSpecs());
    Integer given = spec.elastic().expectedReplicas();
    if (pods == null || given == null || given.equals(pods) || isOfBefore(given, job.subject())) {
      return List.of();
    }
    return List.of(
        "spec.elastic.expectedReplicas: "
            + given
            + " makes no pods, because the job is not elastic, but `scale` and"
            + " PodDisruptionBudgets read it as their number, which is "
            + pods
            + ": leave it out, or write "
            + pods);
  }

  /** Whether it was stored by the webhook: what is wrong then is the change of the replicas. */
  private static boolean isOfBefore(Integer given, RuleContext<PyTorchTrainingJobSpec> subject) {
    return subject.old() != null && given.equals(ReplicaCount.of(subject.old().replicaSpecs()));
  }
}
