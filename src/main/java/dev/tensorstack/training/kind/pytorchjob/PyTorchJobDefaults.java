package dev.tensorstack.training.kind.pytorchjob;

import static dev.tensorstack.training.kind.ClusterDefaults.value;

import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.pytorchjob.v1.CleanPodPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an administrator gives new jobs of the kind {@code PyTorchJob} where their users say nothing
 * (docs/operations/defaults.md).
 */
final class PyTorchJobDefaults {

  private static final RunPolicy EMPTY = new RunPolicy(null, null, null, null, null, null, null);

  private PyTorchJobDefaults() {}

  /**
   * Applies the defaults of all kinds to a spec.
   *
   * @param defaults the defaults
   * @param given the spec as the user gave it
   * @param stored as it is stored when this is a change, null at creation
   * @return the spec with them; the same when there is nothing to add
   */
  static PyTorchJobSpec applied(
      ClusterDefaults defaults, PyTorchJobSpec given, @Nullable PyTorchJobSpec stored) {
    RunPolicy policy = Objects.requireNonNullElse(given.runPolicy(), EMPTY);
    RunPolicy old = stored == null || stored.runPolicy() == null ? EMPTY : stored.runPolicy();
    RunPolicy next =
        new RunPolicy(
            value(
                policy.cleanPodPolicy(),
                stored == null,
                old.cleanPodPolicy(),
                cleanPodPolicy(defaults.cleanUp())),
            value(
                policy.ttlSecondsAfterFinished(),
                stored == null,
                old.ttlSecondsAfterFinished(),
                defaults.ttlSecondsAfterFinished()),
            policy.activeDeadlineSeconds(),
            policy.backoffLimit(),
            policy.suspend(),
            policy.managedBy(),
            policy.schedulingPolicy());
    return next.equals(policy)
        ? given
        : new PyTorchJobSpec(
            given.pytorchReplicaSpecs(), given.nprocPerNode(), given.elasticPolicy(), next);
  }

  private static @Nullable String cleanPodPolicy(ClusterDefaults.@Nullable CleanUp cleanUp) {
    return cleanUp == null
        ? null
        : switch (cleanUp) {
          case All -> CleanPodPolicy.All.name();
          case Unfinished -> CleanPodPolicy.Running.name();
          case None -> CleanPodPolicy.None.name();
        };
  }
}
