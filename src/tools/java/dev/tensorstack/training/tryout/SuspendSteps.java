package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.function.Consumer;

/**
 * Suspends and resumes a PyTorchJob as its user would: resumes it when it is suspended and its pods
 * are gone, and, if asked to, suspends it once it trains.
 */
final class SuspendSteps implements JobSteps<PyTorchJob> {

  private final KubernetesClient client;
  private final Consumer<String> progress;
  private boolean suspensionWanted;

  /**
   * The steps of one job.
   *
   * @param client may patch the job
   * @param suspensionWanted whether to suspend the job once
   * @param progress receives lines for the person who waits
   */
  SuspendSteps(KubernetesClient client, boolean suspensionWanted, Consumer<String> progress) {
    this.client = client;
    this.suspensionWanted = suspensionWanted;
    this.progress = progress;
  }

  @Override
  public void next(Sight<PyTorchJob> sight) {
    PyTorchJob job = sight.job();
    boolean trains = sight.output().accuracy() != null;
    boolean suspended = FollowedPyTorchJob.trueCondition(job, "Suspended").isPresent();
    boolean running = FollowedPyTorchJob.trueCondition(job, "Running").isPresent();
    if (suspended && job.getSpec().suspended() && sight.pods().isEmpty()) {
      change(job, "resume", "{\"spec\":{\"runPolicy\":{\"suspend\":false}}}");
    } else if (suspensionWanted && trains && running) {
      change(job, "suspend", "{\"spec\":{\"runPolicy\":{\"suspend\":true}}}");
      suspensionWanted = false;
    }
  }

  private void change(PyTorchJob job, String what, String patch) {
    progress.accept(
        what
            + ": kubectl patch pytorchjob "
            + job.getMetadata().getName()
            + " --type=merge -p '"
            + patch
            + "'");
    client.resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }
}
