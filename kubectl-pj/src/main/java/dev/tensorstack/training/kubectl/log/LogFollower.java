package dev.tensorstack.training.kubectl.log;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.ApiStream;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.JobWatch;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.api.Lines;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Phase;
import dev.tensorstack.training.kubectl.job.Problem;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Tree;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prints logs as they are written, of any number of ranks at once, until the job ends. Pods that
 * come later, after a restart or because the job grows, are picked up.
 */
public final class LogFollower {

  private static final Duration LOOK = Duration.ofMinutes(1);

  /** What may come twice after a lost connection, rather than not at all. */
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  private final Cluster cluster;
  private final JobWatch watch;
  private final RankSelection selection;
  private final LogOptions options;
  private final LinePrinter printer;
  private final Consumer<String> notes;

  private final Set<String> passedOver = new HashSet<>();
  private final Map<String, ApiStream> open = new HashMap<>();
  private final Set<String> read = new HashSet<>();
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();
  private final Set<String> seenReplicas = new HashSet<>();
  private final Jobs jobs;
  private String said = "";

  /** A stream that is over; the failure is null when it came to its end. */
  private record Ended(String run, String replica, @Nullable Throwable failure) {}

  /**
   * Follows a job.
   *
   * @param cluster the cluster
   * @param watch the job and its pods
   * @param selection whose logs are wanted
   * @param options how much is read of what was written before
   * @param printer prints the lines
   * @param notes is told what happens, in sentences
   */
  public LogFollower(
      Cluster cluster,
      JobWatch watch,
      RankSelection selection,
      LogOptions options,
      LinePrinter printer,
      Consumer<String> notes) {
    this.cluster = cluster;
    this.watch = watch;
    this.selection = selection;
    this.options = options;
    this.printer = printer;
    this.notes = notes;
    this.jobs = new Jobs(cluster);
  }

  /**
   * Prints until the job has ended and all is said, or nobody reads any more.
   *
   * @throws InterruptedException when the thread is interrupted
   * @throws ApiException when the user may not read logs
   */
  public void run() throws InterruptedException {
    List<RankedPod> first = watch.pods();
    List<RankedPod> latest = selection.of(first);
    first.stream().filter(pod -> !latest.contains(pod)).forEach(pod -> passedOver.add(pod.uid()));
    try {
      boolean lookedAtTheEnd = false;
      while (true) {
        Job job = watch.job();
        takeEnded();
        if (job != null) {
          openNew(job, watch.pods());
        }
        boolean over = job == null || job.status().phase().isEnd();
        if (job != null && over && !lookedAtTheEnd) {
          // The news of a pod may come after the news of its job's end.
          lookedAtTheEnd = true;
          openNew(job, jobs.pods(job));
        }
        if ((over && open.isEmpty()) || printer.isBroken()) {
          return;
        }
        boolean whole = job != null && isWhole(job);
        if (job != null && !over && !whole && open.isEmpty()) {
          sayOnce(waiting(job));
        }
        if (job != null) {
          sayProblem(job);
        }
        boolean unused = watch.await(LOOK);
      }
    } finally {
      open.values().forEach(ApiStream::close);
    }
  }

  private void openNew(Job job, List<RankedPod> pods) {
    for (RankedPod pod : pods) {
      if (!selection.matches(pod) || passedOver.contains(pod.uid())) {
        continue;
      }
      String name =
          Objects.requireNonNullElse(options.container(), pod.defaultContainer(job.kind()));
      Tree container = pod.container(name);
      boolean started =
          container.at("state", "running").isPresent()
              || container.at("state", "terminated").isPresent();
      String run = pod.uid() + "/" + container.count("restartCount");
      if (started && !open.containsKey(run) && !read.contains(run)) {
        open(job, pod, name, run, container.count("restartCount"));
      }
    }
  }

  private void open(Job job, RankedPod pod, String container, String run, int restarts) {
    boolean isNew = read.stream().noneMatch(one -> one.startsWith(pod.uid() + "/"));
    boolean resumed = read.contains("broken " + run);
    LogOptions now = options;
    if (resumed) {
      now = new LogOptions(options.container(), null, OVERLAP);
    } else if (!isNew || (!read.isEmpty() && pod.current() && isReplacement(pod))) {
      now = new LogOptions(options.container(), null, null);
    }
    if (!isNew && !resumed) {
      notes.accept(pod.replica() + ": started again in place (" + restarts + " times so far)");
    } else if (!resumed && isReplacement(pod)) {
      notes.accept(pod.replica() + ": pod " + pod.name() + ", attempt " + pod.attempt());
    }
    String prefix = printer.prefix(pod.rank(), pod.replica());
    Lines lines = new Lines(line -> printer.print(prefix, line));
    ApiStream stream =
        cluster.stream(now.path(job.namespace(), pod.name(), container, true, false), lines);
    open.put(run, stream);
    var unused =
        stream
            .done()
            .whenComplete(
                (nothing, failure) -> {
                  lines.end();
                  ended.add(new Ended(run, pod.replica(), failure));
                  watch.wake();
                });
    seenReplicas.add(pod.replica());
  }

  /** Whether another pod of this replica was followed before. */
  private boolean isReplacement(RankedPod pod) {
    return seenReplicas.contains(pod.replica());
  }

  private void takeEnded() {
    for (Ended one = ended.poll(); one != null; one = ended.poll()) {
      ApiStream unused = open.remove(one.run());
      Throwable failure = one.failure();
      if (failure instanceof ApiException refused && refused.code() != 0) {
        if (refused.isForbidden()) {
          throw refused;
        }
        read.add(one.run());
        notes.accept(one.replica() + ": " + refused.getMessage());
      } else if (failure != null) {
        read.add("broken " + one.run());
        notes.accept(
            one.replica() + ": the connection was lost; some lines may be missing or come twice");
      } else {
        read.add(one.run());
      }
    }
  }

  private void sayProblem(Job job) {
    Problem problem = job.status().problem();
    if (problem != null) {
      sayOnce(job.title() + ": " + problem.inWords());
    }
  }

  private static boolean isWhole(Job job) {
    return job.status().phase() == Phase.Running
        && (job.status().reason() == null || job.status().problem() != null);
  }

  private static String waiting(Job job) {
    if (job.status().phase() == Phase.Paused) {
      return job.title() + " is paused; its logs go on when it is resumed (Ctrl-C to leave)";
    }
    String message = job.status().message();
    return "no container of "
        + job.title()
        + " runs at present: "
        + job.status().phase()
        + (job.status().reason() == null
                || job.status().reason().equals(job.status().phase().name())
            ? ""
            : ", " + job.status().reason())
        + (message == null ? "" : ", " + message);
  }

  private void sayOnce(String text) {
    if (!text.equals(said)) {
      said = text;
      notes.accept(text);
    }
  }
}
