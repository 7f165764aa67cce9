package dev.tensorstack.training.kubectl.top;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Problem;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Ranks;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import dev.tensorstack.training.kubectl.terminal.Paragraph;
import dev.tensorstack.training.kubectl.terminal.Table;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What {@code top} shows of one job: a pure function of what is seen. */
public final class RanksScreen {

  private static final String GAP = "   ";
  private static final String RUNNING = "Running";

  private RanksScreen() {}

  /**
   * One job, a line for each rank.
   *
   * @param job the job
   * @param pods its pods by rank
   * @param now the present time
   * @param size the room; where there is too little, some columns are left out, and ranks that do
   *     not run come first
   * @return the lines: a head, and the table
   */
  public static List<String> of(Job job, List<RankedPod> pods, Instant now, Terminal.Size size) {
    List<String> lines = new ArrayList<>(inLines(head(job, now), size.columns()));
    lines.addAll(inLines(training(job, now), size.columns()));
    String message = job.status().message();
    if (message != null && JobWords.reason(job) != null) {
      Problem problem = job.status().problem();
      Instant since = problem == null ? null : problem.since();
      String whole = message + (since == null ? "" : " (for " + Spans.age(since, now) + ")");
      Paragraph.wrap(whole, size.columns()).lines().forEach(lines::add);
    }
    lines.add("");
    Table table =
        new Table("RANK", "REPLICA", "STATUS", "NODE", "RESTARTS", "ATTEMPT", "AGE", "POD");
    List<RankedPod> current = Ranks.current(pods);
    for (RankedPod pod :
        current.size() + lines.size() < size.rows() - 1 ? current : stoppedFirst(current)) {
      table.add(
          Integer.toString(pod.rank()),
          pod.replica(),
          pod.status(),
          Objects.requireNonNullElse(pod.node(), JobWords.NONE),
          Integer.toString(restarts(pod, pods)),
          Integer.toString(pod.attempt()),
          Spans.age(pod.created(), now),
          pod.name());
    }
    lines.addAll(table.lines(size.columns(), List.of("ATTEMPT", "AGE", "RESTARTS")));
    return lines;
  }

  private static List<RankedPod> stoppedFirst(List<RankedPod> pods) {
    return pods.stream().sorted(Comparator.comparing(pod -> pod.status().equals(RUNNING))).toList();
  }

  /** As many parts in a line as there is room for. */
  private static List<String> inLines(List<String> parts, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String part : parts) {
      if (!line.isEmpty() && line.length() + GAP.length() + part.length() > columns) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : GAP).append(part);
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }

  private static List<String> training(Job job, Instant now) {
    Training training = job.status().training();
    if (training == null) {
      return List.of();
    }
    List<String> parts = new ArrayList<>();
    if (training.progress() != null) {
      parts.add(bar(training.progress()));
    }
    Duration remaining = JobWords.remaining(job, now);
    if (remaining != null) {
      parts.add(Spans.inColumn(remaining) + " left");
    }
    if (training.step() != null) {
      parts.add("step " + training.step() + ago(training.stepAt(), now));
    }
    training.metrics().forEach(metric -> parts.add(metric.toString()));
    if (!parts.isEmpty() && training.updatedAt() != null) {
      parts.add(
          "reported "
              + Spans.age(training.updatedAt(), now)
              + " ago"
              + (training.attempt() == job.status().attempt()
                  ? ""
                  : " by attempt " + training.attempt()));
    }
    return parts;
  }

  private static String ago(@Nullable Instant moment, Instant now) {
    return moment == null ? "" : " (" + Spans.age(moment, now) + " ago)";
  }

  /** In place, and by pods that came before it. */
  private static int restarts(RankedPod pod, List<RankedPod> pods) {
    return pod.restarts()
        + (int)
            pods.stream()
                .filter(other -> !other.current() && other.replica().equals(pod.replica()))
                .count();
  }

  private static List<String> head(Job job, Instant now) {
    List<String> parts = new ArrayList<>();
    parts.add(job.kind().word() + "/" + job.name());
    String reason = JobWords.reason(job);
    parts.add(JobWords.phase(job) + (reason == null ? "" : " (" + reason + ")"));
    parts.add(JobWords.running(job) + " run");
    parts.add("nodes " + job.nodes());
    parts.add("attempt " + job.status().attempt());
    parts.add("restarts " + job.status().restarts());
    Instant end = job.status().completed() == null ? now : job.status().completed();
    if (job.status().started() != null) {
      parts.add("for " + Spans.inColumn(Duration.between(job.status().started(), end)));
    }
    return parts;
  }

  private static String bar(int progress) {
    int done = Math.max(0, Math.min(20, progress / 5));
    return "[" + "#".repeat(done) + ".".repeat(20 - done) + "] " + progress + "%";
  }
}
