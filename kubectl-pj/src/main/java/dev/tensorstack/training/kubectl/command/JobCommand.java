package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobReference;
import picocli.CommandLine.Parameters;

/** A command about one job. */
public abstract class JobCommand extends ClusterCommand {

  @Parameters(
      index = "0",
      paramLabel = "JOB",
      description = "NAME, or KIND/NAME: pj/NAME, pytorchjob/NAME.")
  private String job = "";

  @Override
  protected final int run(Cluster cluster) throws Exception {
    return run(cluster, new Jobs(cluster).find(JobReference.parse(job)));
  }

  /**
   * Does it.
   *
   * @param cluster the cluster
   * @param job the job as it is now
   * @return the exit code
   * @throws Exception as {@link Failures} understands it
   */
  protected abstract int run(Cluster cluster, Job job) throws Exception;

  /**
   * What kubectl would print of a change.
   *
   * @param job the job
   * @param done what was done, for example {@code paused}
   */
  protected final void report(Job job, String done) {
    console.print(job.kind().qualifiedName() + "/" + job.name() + " " + done);
  }

  /**
   * Refuses to change a job that nothing can change any more.
   *
   * @param job the job
   * @throws IllegalArgumentException with a sentence for the user, when it has ended
   */
  protected static void refuseEnded(Job job) {
    if (job.status().phase().isEnd()) {
      throw new IllegalArgumentException(
          job.title()
              + " has ended ("
              + job.status().phase()
              + "), which nothing changes any more");
    }
  }
}
