package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Feed;
import dev.tensorstack.training.kubectl.api.JobWatch;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.JobReference;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import dev.tensorstack.training.kubectl.top.JobsScreen;
import dev.tensorstack.training.kubectl.top.LiveScreen;
import dev.tensorstack.training.kubectl.top.RanksScreen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code top}. */
@Command(
    name = "top",
    description = {
      "Show jobs, a line for each; or one job, a line for each rank.",
      "In a terminal it is live until Ctrl-C, and drawn anew when something changes."
    })
public final class TopCommand extends ClusterCommand {

  /** Ages change without anybody telling it. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** A burst of changes is one picture. */
  private static final long SHORTEST_MILLIS = 250;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "JOB",
      description = "NAME or KIND/NAME; all jobs of the namespace unless given.")
  private @Nullable String name;

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "The jobs of all namespaces.")
  private boolean allNamespaces;

  @Option(names = "--once", description = "Print it once, as in a pipe.")
  private boolean once;

  @Override
  protected int run(Cluster cluster) throws InterruptedException {
    boolean live = !once && Terminal.is(Terminal.Stream.OUTPUT);
    if (name != null) {
      Job job = new Jobs(cluster).find(JobReference.parse(name));
      return live ? follow(cluster, job) : print(cluster, job);
    }
    return live ? follow(cluster) : print(cluster);
  }

  private int print(Cluster cluster, Job job) {
    RanksScreen.of(job, new Jobs(cluster).pods(job), Instant.now(), Terminal.Size.UNLIMITED)
        .forEach(console::print);
    return ExitCodes.OK;
  }

  private int print(Cluster cluster) {
    String namespace = allNamespaces ? null : cluster.namespace();
    List<Job> jobs = new Jobs(cluster).list(namespace);
    if (jobs.isEmpty()) {
      console.tell(none(cluster));
    } else {
      JobsScreen.of(jobs, allNamespaces, Instant.now(), Terminal.Size.UNLIMITED)
          .forEach(console::print);
    }
    return ExitCodes.OK;
  }

  private String none(Cluster cluster) {
    return allNamespaces
        ? "there are no jobs in any namespace"
        : "there are no jobs in namespace " + cluster.namespace() + "; in all of them: -A";
  }

  private int follow(Cluster cluster, Job first) throws InterruptedException {
    try (JobWatch watch = new JobWatch(cluster, first, true);
        LiveScreen screen = new LiveScreen(console.out())) {
      Job last = first;
      while (true) {
        Job job = watch.job();
        last = job == null ? last : job;
        Job shown = last;
        screen.draw(
            size -> {
              List<String> lines =
                  new ArrayList<>(RanksScreen.of(shown, watch.pods(), Instant.now(), size));
              if (job == null) {
                lines.add(0, "The job is gone; what follows is how it was.");
              }
              addTrouble(lines, watch.trouble());
              return lines;
            });
        Thread.sleep(SHORTEST_MILLIS);
        boolean unused = watch.await(LONGEST);
      }
    }
  }

  private int follow(Cluster cluster) throws InterruptedException {
    String namespace = allNamespaces ? null : cluster.namespace();
    Semaphore changes = new Semaphore(0);
    Map<JobKind, Feed> feeds = feeds(cluster, namespace, changes::release);
    try (LiveScreen screen = new LiveScreen(console.out())) {
      while (true) {
        screen.draw(size -> picture(cluster, feeds, size));
        Thread.sleep(SHORTEST_MILLIS);
        if (changes.tryAcquire(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
          int unused = changes.drainPermits();
        }
      }
    } finally {
      feeds.values().forEach(Feed::close);
    }
  }

  private List<String> picture(Cluster cluster, Map<JobKind, Feed> feeds, Terminal.Size size) {
    List<Job> jobs = jobs(feeds);
    List<String> lines =
        new ArrayList<>(
            jobs.isEmpty()
                ? List.of(none(cluster))
                : JobsScreen.of(jobs, allNamespaces, Instant.now(), size));
    feeds.values().forEach(feed -> addTrouble(lines, feed.trouble()));
    return lines;
  }

  private static void addTrouble(List<String> lines, @Nullable ApiException trouble) {
    if (trouble != null) {
      lines.add(0, "Not up to date: " + trouble.getMessage());
    }
  }

  private static Map<JobKind, Feed> feeds(
      Cluster cluster, @Nullable String namespace, Runnable changed) {
    Map<JobKind, Feed> feeds = new LinkedHashMap<>();
    ApiException refusal = null;
    for (JobKind kind : JobKind.values()) {
      try {
        feeds.put(kind, Feed.open(cluster, kind.path(namespace), Map.of(), changed));
      } catch (ApiException e) {
        refusal = e;
      }
    }
    if (feeds.isEmpty() && refusal != null) {
      throw refusal;
    }
    return feeds;
  }

  private static List<Job> jobs(Map<JobKind, Feed> feeds) {
    List<Job> jobs = new ArrayList<>();
    feeds.forEach(
        (kind, feed) -> feed.objects().forEach(object -> jobs.add(new Job(kind, object))));
    jobs.sort(Comparator.comparing(Job::namespace).thenComparing(Job::name));
    return jobs;
  }
}
