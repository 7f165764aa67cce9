package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Tree;
import picocli.CommandLine.Command;

/** {@code pause}. */
@Command(
    name = "pause",
    description = {
      "End the job's pods and keep the job.",
      "They get SIGTERM and the time of their terminationGracePeriodSeconds."
    })
public final class PauseCommand extends JobCommand {

  @Override
  protected int run(Cluster cluster, Job job) {
    refuseEnded(job);
    if (job.spec().isPauseWanted()) {
      report(job, "is paused already");
      return ExitCodes.OK;
    }
    Tree unused = cluster.patch(job.path(), job.kind().pausePatch(true));
    report(job, "paused");
    return ExitCodes.OK;
  }
}
