package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.ReplicaType;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code scale}. */
@Command(
    name = "scale",
    description = {
      "Set the number of nodes of an elastic job: all its pods, the master too.",
      "What does not fit, the API server refuses in its own words."
    })
public final class ScaleCommand extends JobCommand {

  @Parameters(index = "1", paramLabel = "NODES", description = "The number of nodes.")
  private int nodes;

  @Override
  protected int run(Cluster cluster, Job job) {
    refuseEnded(job);
    int replicas = nodes - masters(job);
    Tree unused =
        cluster.patch(job.path() + "/scale", Map.of("spec", Map.of("replicas", replicas)));
    report(job, "scaled to " + nodes + (nodes == 1 ? " node" : " nodes"));
    if (job.spec().hasAutoscaler()) {
      console.tell("Warning: the job has an autoscaler, which may choose another number soon");
    }
    return ExitCodes.OK;
  }

  /** The scale of a PyTorchJob is the number of its workers. */
  private static int masters(Job job) {
    if (job.kind() != JobKind.PYTORCH_JOB) {
      return 0;
    }
    return job.spec().types().stream()
        .filter(type -> type.name().equals("master"))
        .mapToInt(ReplicaType::replicas)
        .sum();
  }
}
