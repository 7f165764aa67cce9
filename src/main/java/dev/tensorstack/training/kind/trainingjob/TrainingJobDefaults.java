package dev.tensorstack.training.kind.trainingjob;

import static dev.tensorstack.training.kind.ClusterDefaults.value;

import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CleanUpPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an administrator gives new jobs of the kind {@code PyTorchTrainingJob} where their users say
 * nothing (docs/operations/defaults.md).
 *
 * @param all the defaults of all kinds
 * @param tensorboardImage the image of TensorBoard; null for the operator's own default
 * @param scheduler the {@code spec.scheduler} of a job of which no template names a scheduler; null
 *     for none
 */
public record TrainingJobDefaults(
    ClusterDefaults all, @Nullable String tensorboardImage, @Nullable Scheduler scheduler) {

  /** No defaults but those of the API. */
  public static final TrainingJobDefaults NONE =
      new TrainingJobDefaults(ClusterDefaults.NONE, null, null);

  /**
   * Applies them to a spec.
   *
   * @param given the spec as the user gave it
   * @param stored as it is stored when this is a change, null at creation
   * @return the spec with them; the same when there is nothing to add
   */
  public PyTorchTrainingJobSpec applied(
      PyTorchTrainingJobSpec given, @Nullable PyTorchTrainingJobSpec stored) {
    if (equals(NONE)) {
      return given;
    }
    PyTorchTrainingJobSpec next =
        new PyTorchTrainingJobSpec(
            given.replicaSpecs(),
            given.torchrunConfig(),
            given.elastic(),
            given.runMode(),
            runPolicy(given.runPolicy(), stored),
            scheduler(given, stored),
            tensorboard(given.tensorboardSpec(), stored == null ? null : stored.tensorboardSpec()),
            given.managedBy());
    return next.equals(given) ? given : next;
  }

  private @Nullable RunPolicy runPolicy(
      @Nullable RunPolicy policy, @Nullable PyTorchTrainingJobSpec stored) {
    RunPolicy given = Objects.requireNonNullElse(policy, RunPolicy.NONE);
    RunPolicy old =
        stored == null || stored.runPolicy() == null ? RunPolicy.NONE : stored.runPolicy();
    RunPolicy next =
        new RunPolicy(
            given.activeDeadlineSeconds(),
            given.backoffLimit(),
            given.backoffWindowSeconds(),
            value(given.cleanUpPolicy(), stored == null, old.cleanUpPolicy(), cleanUpPolicy()),
            value(
                given.ttlSecondsAfterFinished(),
                stored == null,
                old.ttlSecondsAfterFinished(),
                all.ttlSecondsAfterFinished()),
            given.restartScope(),
            given.retryableExitCodes(),
            given.progress());
    return next.equals(given) ? policy : next;
  }

  private @Nullable String cleanUpPolicy() {
    return all.cleanUp() == null
        ? null
        : switch (all.cleanUp()) {
          case All -> CleanUpPolicy.All.name();
          case Unfinished -> CleanUpPolicy.Unfinished.name();
          case None -> CleanUpPolicy.None.name();
        };
  }

  /** A template that names a scheduler would contradict another one. */
  private @Nullable Scheduler scheduler(
      PyTorchTrainingJobSpec given, @Nullable PyTorchTrainingJobSpec stored) {
    return namesScheduler(given)
        ? given.scheduler()
        : value(
            given.scheduler(),
            stored == null,
            stored == null ? null : stored.scheduler(),
            scheduler);
  }

  private static boolean namesScheduler(PyTorchTrainingJobSpec spec) {
    return spec.replicaSpecs() != null
        && spec.replicaSpecs().stream()
            .filter(Objects::nonNull)
            .map(type -> type.template())
            .filter(template -> template != null && template.getSpec() != null)
            .map(template -> template.getSpec().getSchedulerName())
            .anyMatch(name -> name != null && !name.isEmpty());
  }

  private @Nullable TensorboardSpec tensorboard(
      @Nullable TensorboardSpec given, @Nullable TensorboardSpec stored) {
    if (given == null) {
      return null;
    }
    String image = given.image() == null || given.image().isBlank() ? null : given.image();
    String next =
        value(image, stored == null, stored == null ? null : stored.image(), tensorboardImage);
    return Objects.equals(next, image)
        ? given
        : new TensorboardSpec(
            next, given.logDir(), given.trainingLogFilesets(), given.resources(), given.suspend());
  }
}
