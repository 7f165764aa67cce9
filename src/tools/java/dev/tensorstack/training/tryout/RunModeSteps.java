package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Switches a job's run mode as its user would: resumes it when it is paused, ends debug mode when
 * its pods have waited for a moment, and, if asked to, pauses it once it trains.
 */
final class RunModeSteps implements JobSteps<PyTorchTrainingJob> {

  private static final Duration DEBUG_TIME = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final Clock clock;
  private final Consumer<String> progress;
  private boolean pauseWanted;
  private @Nullable Instant debugging;

  /**
   * The steps of one job.
   *
   * @param pauseWanted whether to pause the job once
   * @param progress receives lines for the person who waits
   */
  RunModeSteps(
      KubernetesClient client, Clock clock, boolean pauseWanted, Consumer<String> progress) {
    this.client = client;
    this.clock = clock;
    this.pauseWanted = pauseWanted;
    this.progress = progress;
  }

  @Override
  public void next(Sight<PyTorchTrainingJob> sight) {
    PyTorchTrainingJob job = sight.job();
    boolean trains = sight.output().accuracy() != null;
    PyTorchTrainingJobStatus status = job.getStatus();
    if (status == null || status.columns() == null) {
      return;
    }
    RunMode mode = job.getSpec().runMode();
    if ("Paused".equals(status.phase())
        && mode != null
        && mode.pause() != null
        && mode.pause().on()) {
      change(job, "resume", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    } else if (pauseWanted && trains && "Running".equals(status.phase())) {
      change(job, "pause", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
      pauseWanted = false;
    } else if ("Debugging".equals(status.columns().reason())
        && mode != null
        && mode.debug() != null
        && mode.debug().on()) {
      Instant now = clock.instant();
      debugging = debugging == null ? now : debugging;
      if (!now.isBefore(debugging.plus(DEBUG_TIME))) {
        change(job, "end debug mode", "{\"spec\":{\"runMode\":{\"debug\":{\"enabled\":false}}}}");
      }
    }
  }

  private void change(PyTorchTrainingJob job, String what, String patch) {
    progress.accept(
        what
            + ": kubectl patch pj "
            + job.getMetadata().getName()
            + " --type=merge -p '"
            + patch
            + "'");
    client.resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }
}
