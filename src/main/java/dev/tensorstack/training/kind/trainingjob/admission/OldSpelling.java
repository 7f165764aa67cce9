package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PauseMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import org.jspecify.annotations.Nullable;

/**
 * Which spelling counts when an old manifest is applied again. The stored job has {@code enabled}
 * only, so a merge with a manifest that has {@code enable} only shows both: what was stored, and
 * what the user wants now.
 */
final class OldSpelling {

  private OldSpelling() {}

  /**
   * Lets what the user wrote again win.
   *
   * @param given a spec as it would be stored
   * @param stored the spec that it replaces, as it is stored, without defaults
   * @return the same, with {@code enabled} as {@code enable} says wherever {@code enabled} is
   *     merely what was stored and {@code enable} is new
   */
  static PyTorchTrainingJobSpec appliedAgain(
      PyTorchTrainingJobSpec given, PyTorchTrainingJobSpec stored) {
    return new PyTorchTrainingJobSpec(
        given.replicaSpecs(),
        torchrun(given.torchrunConfig(), stored.torchrunConfig()),
        elastic(given.elastic(), stored.elastic()),
        runMode(given.runMode(), stored.runMode()),
        given.runPolicy(),
        given.scheduler(),
        given.tensorboardSpec(),
        given.managedBy());
  }

  private static @Nullable TorchrunConfig torchrun(
      @Nullable TorchrunConfig given, @Nullable TorchrunConfig stored) {
    if (given == null || stored == null) {
      return given;
    }
    return new TorchrunConfig(
        enabled(given.enabled(), given.enable(), stored.enabled(), stored.enable()),
        given.enable(),
        given.maxRestarts(),
        given.procPerNode(),
        given.rdzvBackend(),
        given.extraOptions(),
        given.minNodes());
  }

  private static @Nullable Elastic elastic(@Nullable Elastic given, @Nullable Elastic stored) {
    if (given == null || stored == null) {
      return given;
    }
    return new Elastic(
        enabled(given.enabled(), given.enable(), stored.enabled(), stored.enable()),
        given.enable(),
        given.minReplicas(),
        given.maxReplicas(),
        given.expectedReplicas(),
        given.metrics());
  }

  private static @Nullable RunMode runMode(@Nullable RunMode given, @Nullable RunMode stored) {
    if (given == null || stored == null) {
      return given;
    }
    return new RunMode(debug(given.debug(), stored.debug()), pause(given.pause(), stored.pause()));
  }

  private static @Nullable DebugMode debug(@Nullable DebugMode given, @Nullable DebugMode stored) {
    if (given == null || stored == null) {
      return given;
    }
    return new DebugMode(
        enabled(given.enabled(), given.enable(), stored.enabled(), stored.enable()),
        given.enable(),
        given.replicaSpecs());
  }

  private static @Nullable PauseMode pause(@Nullable PauseMode given, @Nullable PauseMode stored) {
    if (given == null || stored == null) {
      return given;
    }
    return new PauseMode(
        enabled(given.enabled(), given.enable(), stored.enabled(), stored.enable()),
        given.enable(),
        given.resumeSpecs());
  }

  /** Both were stored when no webhook rewrote them: then the old spelling is not new either. */
  private static @Nullable Boolean enabled(
      @Nullable Boolean enabled,
      @Nullable Boolean enable,
      @Nullable Boolean storedEnabled,
      @Nullable Boolean storedEnable) {
    boolean again =
        enable != null
            && enabled != null
            && enabled.equals(storedEnabled)
            && !enable.equals(storedEnable);
    return again ? enable : enabled;
  }
}
