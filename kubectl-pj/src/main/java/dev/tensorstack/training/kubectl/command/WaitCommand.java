package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.JobWatch;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Phase;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Tree;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wait}. */
@Command(
    name = "wait",
    description = {
      "Wait for the end of the job.",
      "Exit code: 0 when it succeeds; the training's own when it fails (1 if none is known); 124 at"
          + " the time limit."
    })
public final class WaitCommand extends JobCommand {

  private static final Duration LOOK = Duration.ofMinutes(1);

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "How long to wait at most, for example 90s, 10m, 2h; for ever unless given.")
  private @Nullable String timeout;

  private String said = "";

  @Override
  protected int run(Cluster cluster, Job first) throws InterruptedException {
    Long end = timeout == null ? null : System.nanoTime() + Spans.parse(timeout).toNanos();
    try (JobWatch watch = new JobWatch(cluster, first, false)) {
      while (true) {
        Job job = watch.job();
        if (job == null) {
          console.tell(first.title() + " was deleted before it ended");
          return ExitCodes.FAILURE;
        }
        say(job);
        if (job.status().phase().isEnd()) {
          return exitCode(cluster, job);
        }
        Duration left = end == null ? LOOK : Duration.ofNanos(end - System.nanoTime());
        if (left.isNegative() || left.isZero()) {
          console.tell(
              "time limit of "
                  + timeout
                  + " reached; "
                  + job.title()
                  + " is "
                  + job.status().phase());
          return ExitCodes.TIME_LIMIT;
        }
        boolean unused = watch.await(left.compareTo(LOOK) < 0 ? left : LOOK);
      }
    }
  }

  private void say(Job job) {
    String message = job.status().message();
    String now =
        job.title()
            + ": "
            + job.status().phase()
            + (job.status().reason() == null
                    || job.status().reason().equals(job.status().phase().name())
                ? ""
                : " (" + job.status().reason() + ")")
            + (message == null ? "" : ", " + message);
    if (!now.equals(said)) {
      said = now;
      console.tell(now);
    }
  }

  private static int exitCode(Cluster cluster, Job job) {
    if (job.status().phase() == Phase.Succeeded) {
      return ExitCodes.OK;
    }
    return job.status().lastFailure() == null && job.status().reason() == null
        ? ofPods(new Jobs(cluster), job)
        : job.exitCode();
  }

  /** Kubeflow's own operator keeps no exit code. */
  private static int ofPods(Jobs jobs, Job job) {
    try {
      List<RankedPod> pods = jobs.pods(job);
      for (RankedPod pod : pods) {
        for (Tree container : pod.containers()) {
          int code = container.count("state", "terminated", "exitCode");
          if (code != 0) {
            return code;
          }
        }
      }
    } catch (ApiException e) {
      if (!e.isForbidden()) {
        throw e;
      }
    }
    return ExitCodes.FAILURE;
  }
}
