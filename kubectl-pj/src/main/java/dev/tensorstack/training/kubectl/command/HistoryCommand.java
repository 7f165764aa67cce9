package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.top.Chronicle;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code history}. */
@Command(
    name = "history",
    description = {
      "Tell what happened to the job, attempt by attempt, with times, causes and nodes.",
      "Where the status keeps no history, from the pods and events that are still there."
    })
public final class HistoryCommand extends JobCommand {

  @Override
  protected int run(Cluster cluster, Job job) {
    Jobs jobs = new Jobs(cluster);
    List<RankedPod> pods = allowed("pods", () -> jobs.pods(job));
    List<JobEvent> events = allowed("events", () -> jobs.events(job.namespace(), job.uid()));
    Chronicle.of(job, pods, events, Instant.now()).forEach(console::print);
    return ExitCodes.OK;
  }

  private <T> List<T> allowed(String what, Supplier<List<T>> read) {
    try {
      return read.get();
    } catch (ApiException e) {
      if (!e.isForbidden()) {
        throw e;
      }
      console.tell("without " + what + ": " + Failures.inWords(e));
      return List.of();
    }
  }
}
