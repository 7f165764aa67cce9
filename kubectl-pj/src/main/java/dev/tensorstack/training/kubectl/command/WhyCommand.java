package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.log.LogOptions;
import dev.tensorstack.training.kubectl.terminal.Paragraph;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import dev.tensorstack.training.kubectl.why.Explanation;
import dev.tensorstack.training.kubectl.why.LogExcerpt;
import dev.tensorstack.training.kubectl.why.LogSource;
import dev.tensorstack.training.kubectl.why.Situation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code why}. */
@Command(
    name = "why",
    description = "Say in one paragraph how the job is, why, and what happens next and when.")
public final class WhyCommand extends JobCommand {

  private static final int LONGEST_LINE = 100;

  @Option(
      names = "--tail",
      paramLabel = "N",
      defaultValue = "15",
      description = "How many last lines of a failed pod's log are shown; ${DEFAULT-VALUE}.")
  private int tail;

  @Override
  protected int run(Cluster cluster, Job job) {
    Jobs jobs = new Jobs(cluster);
    List<RankedPod> pods = List.of();
    boolean podsKnown = true;
    try {
      pods = jobs.pods(job);
    } catch (ApiException e) {
      if (!e.isForbidden()) {
        throw e;
      }
      podsKnown = false;
    }
    Situation seen = new Situation(job, pods, events(jobs, job, pods), podsKnown, Instant.now());
    console.print(Paragraph.wrap(Explanation.of(seen), width()));
    LogSource source = LogSource.of(job, pods);
    if (source != null && tail > 0) {
      printLog(cluster, job, source);
    }
    return ExitCodes.OK;
  }

  private static int width() {
    return Terminal.is(Terminal.Stream.OUTPUT)
        ? Math.min(LONGEST_LINE, Terminal.size().columns())
        : LONGEST_LINE;
  }

  private static List<JobEvent> events(Jobs jobs, Job job, List<RankedPod> pods) {
    List<JobEvent> events = new ArrayList<>();
    try {
      events.addAll(jobs.events(job.namespace(), job.uid()));
      RankedPod stuck = startingPod(pods);
      if (stuck != null) {
        events.addAll(jobs.events(job.namespace(), stuck.uid()));
      }
    } catch (ApiException e) {
      // They only add to what the job says itself.
      if (!e.isForbidden()) {
        throw e;
      }
    }
    return events;
  }

  private static @Nullable RankedPod startingPod(List<RankedPod> pods) {
    for (RankedPod pod : pods) {
      if (pod.current() && pod.node() != null && pod.phase().equals("Pending")) {
        return pod;
      }
    }
    return null;
  }

  private void printLog(Cluster cluster, Job job, LogSource source) {
    RankedPod pod = source.pod();
    LogOptions options = new LogOptions(null, tail + LogExcerpt.REPORT, null);
    String head =
        "container " + source.container() + " of pod " + pod.name() + ", rank " + pod.rank();
    try {
      String log =
          cluster.text(
              options.path(
                  job.namespace(), pod.name(), source.container(), false, source.previous()));
      console.print("");
      if (log.isBlank()) {
        console.print("The log is empty (" + head + ").");
        return;
      }
      LogExcerpt excerpt = LogExcerpt.of(log, tail);
      console.print(
          Paragraph.wrap(
              "The last lines of the log ("
                  + head
                  + (excerpt.cut() ? "; without torchrun's own report" : "")
                  + "):",
              width()));
      console.print("");
      excerpt.lines().forEach(line -> console.print("  " + line));
    } catch (ApiException e) {
      console.print("");
      console.print("The log cannot be read (" + head + "): " + e.getMessage());
    }
  }
}
