package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import picocli.CommandLine.Command;

/** {@code resume}. */
@Command(name = "resume", description = "Let a paused job go on: its pods come back.")
public final class ResumeCommand extends JobCommand {

  @Override
  protected int run(Cluster cluster, Job job) {
    refuseEnded(job);
    if (!job.spec().isPauseWanted()) {
      report(job, "is not paused");
      return ExitCodes.OK;
    }
    if (job.kind() == JobKind.PYTORCH_JOB
        && job.object().at("metadata", "labels").text("kueue.x-k8s.io/queue-name") != null) {
      console.tell(
          "warning: the job waits in Kueue's queue "
              + job.queue()
              + ", which may suspend it again until its turn has come");
    }
    Tree unused = cluster.patch(job.path(), job.kind().pausePatch(false));
    report(job, "resumed");
    return ExitCodes.OK;
  }
}
