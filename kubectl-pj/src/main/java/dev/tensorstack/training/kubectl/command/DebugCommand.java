package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code debug}. */
@Command(
    name = "debug",
    description = {
      "Switch debug mode: pods wait for you instead of training.",
      "All pods are stopped and created again in the new mode, which costs no restart."
    })
public final class DebugCommand extends JobCommand {

  /** Debug mode or not. */
  enum Switch {
    on,
    off
  }

  @Parameters(index = "1", paramLabel = "on|off", description = "on or off.")
  private Switch mode = Switch.on;

  @Override
  protected int run(Cluster cluster, Job job) {
    if (job.kind() == JobKind.PYTORCH_JOB) {
      throw new IllegalArgumentException(
          "a PyTorchJob has no debug mode: write its manifest as a PyTorchTrainingJob, or set the"
              + " command of its containers to [sleep, inf] and create it again");
    }
    refuseEnded(job);
    boolean on = mode == Switch.on;
    if (job.spec().isDebugWanted() == on) {
      report(job, on ? "is in debug mode already" : "is not in debug mode");
      return ExitCodes.OK;
    }
    Tree unused =
        cluster.patch(
            job.path(), Map.of("spec", Map.of("runMode", Map.of("debug", Map.of("enabled", on)))));
    report(job, on ? "is in debug mode" : "trains again");
    if (on) {
      console.tell("when its pods run: kubectl pj exec " + job.name() + " --rank 0 -- sh");
    }
    return ExitCodes.OK;
  }
}
