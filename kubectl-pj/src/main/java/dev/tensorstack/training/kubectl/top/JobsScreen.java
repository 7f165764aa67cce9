package dev.tensorstack.training.kubectl.top;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import dev.tensorstack.training.kubectl.terminal.Table;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What {@code top} shows of many jobs: a pure function of what is seen. */
public final class JobsScreen {

  private JobsScreen() {}

  /**
   * Many jobs, a line for each.
   *
   * @param jobs the jobs in their order
   * @param allNamespaces whether there is a column for the namespace
   * @param now the present time
   * @param size the room; where there is too little, some columns are left out, and what asks for
   *     attention comes first
   * @return the lines
   */
  public static List<String> of(
      List<Job> jobs, boolean allNamespaces, Instant now, Terminal.Size size) {
    String namespace = allNamespaces ? "NAMESPACE" : "";
    Table table =
        new Table(
            without(
                namespace,
                "JOB",
                "PHASE",
                "REASON",
                "RUNNING",
                "RESTARTS",
                "PROGRESS",
                "ETA",
                "NODES",
                "QUEUE",
                "AGE"));
    for (Job job : jobs.size() < size.rows() - 1 ? jobs : urgentFirst(jobs)) {
      Training training = job.status().training();
      table.add(
          without(
              allNamespaces ? job.namespace() : "",
              job.kind().word() + "/" + job.name(),
              JobWords.phase(job),
              Objects.requireNonNullElse(JobWords.reason(job), JobWords.NONE),
              JobWords.running(job),
              Integer.toString(job.status().restarts()),
              progress(training),
              Spans.inColumn(JobWords.remaining(job, now)),
              job.nodes(),
              Objects.requireNonNullElse(job.queue(), JobWords.NONE),
              Spans.age(job.created(), now)));
    }
    return table.lines(size.columns(), List.of("QUEUE", "NODES", "AGE", "RESTARTS", "ETA"));
  }

  private static List<Job> urgentFirst(List<Job> jobs) {
    return jobs.stream()
        .sorted(
            Comparator.comparing(
                job -> job.status().phase().isEnd() ? 2 : JobWords.reason(job) == null ? 1 : 0))
        .toList();
  }

  private static String[] without(String first, String... rest) {
    List<String> cells = new ArrayList<>();
    if (!first.isEmpty()) {
      cells.add(first);
    }
    cells.addAll(List.of(rest));
    return cells.toArray(String[]::new);
  }

  private static String progress(@Nullable Training training) {
    return training == null || training.progress() == null
        ? JobWords.NONE
        : training.progress() + "%";
  }
}
