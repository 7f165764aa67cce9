package dev.tensorstack.training.kubectl.top;

import dev.tensorstack.training.kubectl.job.Attempt;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import dev.tensorstack.training.kubectl.terminal.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What happened to a job: a pure function of what is still known. */
public final class Chronicle {

  private static final String NONE = "-";

  private Chronicle() {}

  /**
   * The story of a job.
   *
   * @param job the job
   * @param pods its pods that are still there
   * @param events its events that are still there, the oldest first
   * @param now the present time
   * @return the lines
   */
  public static List<String> of(Job job, List<RankedPod> pods, List<JobEvent> events, Instant now) {
    List<String> lines = new ArrayList<>();
    lines.add(
        job.title()
            + ": "
            + job.status().phase()
            + ", attempt "
            + job.status().attempt()
            + ", counted restarts "
            + job.status().countedRestarts()
            + ", disruptions "
            + job.status().disruptions()
            + progress(job.status().training()));
    List<Attempt> attempts = job.status().history();
    if (attempts.isEmpty()) {
      attempts = ofPods(job, pods);
    } else if (!job.status().phase().isEnd()) {
      attempts = withPresent(job, attempts);
    }
    lines.add("");
    lines.addAll(table(attempts, now));
    if (!events.isEmpty()) {
      lines.add("");
      Table told = new Table("WHEN", "EVENT", "MESSAGE");
      for (JobEvent event : events) {
        told.add(moment(event.time()), event.reason(), event.message());
      }
      lines.addAll(told.lines());
    }
    return lines;
  }

  private static String progress(@Nullable Training training) {
    if (training == null) {
      return "";
    }
    return (training.progress() == null ? "" : ", " + training.progress() + "% done")
        + (training.step() == null ? "" : ", step " + training.step());
  }

  private static List<String> table(List<Attempt> attempts, Instant now) {
    Table table =
        new Table(
            "ATTEMPT", "START", "TOOK", "PODS", "END", "CAUSE", "REASON", "EXIT", "REPLICA",
            "NODE");
    for (Attempt attempt : attempts) {
      Instant end = attempt.end() == null ? now : attempt.end();
      table.add(
          Integer.toString(attempt.number()),
          moment(attempt.start()),
          Spans.inColumn(attempt.start() == null ? null : Duration.between(attempt.start(), end)),
          text(attempt.nodes()),
          text(attempt.outcome()),
          text(attempt.cause()),
          text(attempt.reason()),
          text(attempt.exitCode()),
          text(attempt.replica()),
          text(attempt.node()));
    }
    return table.lines();
  }

  private static String moment(@Nullable Instant moment) {
    return moment == null ? NONE : Spans.moment(moment).replace(" UTC", "Z").replace(' ', 'T');
  }

  private static String text(@Nullable Object value) {
    return value == null ? NONE : value.toString();
  }

  /** The status tells only of what is over. */
  private static List<Attempt> withPresent(Job job, List<Attempt> over) {
    Instant start = over.get(over.size() - 1).end();
    Instant started = job.status().started();
    boolean resumed = started != null && start != null && started.isAfter(start);
    List<Attempt> all = new ArrayList<>(over);
    all.add(
        new Attempt(
            job.status().attempt(),
            resumed ? started : start,
            null,
            job.status().phase().name(),
            null,
            job.status().reason(),
            null,
            null,
            null,
            job.status().running()));
    return all;
  }

  /** What the pods and the last failure still tell. */
  private static List<Attempt> ofPods(Job job, List<RankedPod> pods) {
    Map<Integer, List<RankedPod>> byAttempt = new TreeMap<>();
    byAttempt.put(job.status().attempt(), new ArrayList<>());
    pods.forEach(
        pod -> byAttempt.computeIfAbsent(pod.attempt(), number -> new ArrayList<>()).add(pod));
    List<Attempt> attempts = new ArrayList<>();
    byAttempt.forEach((number, ofAttempt) -> attempts.add(ofPods(job, number, ofAttempt)));
    return attempts;
  }

  private static Attempt ofPods(Job job, int number, List<RankedPod> pods) {
    Instant start =
        pods.stream()
            .map(RankedPod::created)
            .filter(Objects::nonNull)
            .min(Instant::compareTo)
            .orElse(number == 0 ? job.status().started() : null);
    PodFailure failure = job.status().lastFailure();
    boolean here =
        failure != null && pods.stream().anyMatch(pod -> pod.name().equals(failure.pod()));
    boolean current = number == job.status().attempt();
    long placed = pods.stream().map(RankedPod::node).filter(Objects::nonNull).count();
    PodFailure ended = here ? failure : null;
    Instant end = current ? job.status().completed() : ended == null ? null : ended.time();
    return new Attempt(
        number,
        start,
        end,
        current ? job.status().phase().name() : ended == null ? null : "Restarted",
        ended == null ? null : ended.cause(),
        ended == null ? (current ? job.status().reason() : null) : ended.reason(),
        ended == null ? null : ended.replica(),
        ended == null ? null : ended.exitCode(),
        ended == null ? null : ended.node(),
        placed == 0 ? null : (int) placed);
  }
}
