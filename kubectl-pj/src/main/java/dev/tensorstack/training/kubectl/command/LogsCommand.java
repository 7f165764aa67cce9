package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.JobWatch;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.log.LinePrinter;
import dev.tensorstack.training.kubectl.log.LogFollower;
import dev.tensorstack.training.kubectl.log.LogOptions;
import dev.tensorstack.training.kubectl.log.LogReader;
import dev.tensorstack.training.kubectl.log.RankSelection;
import dev.tensorstack.training.kubectl.log.StandardOutput;
import dev.tensorstack.training.kubectl.terminal.ColorChoice;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code logs}. */
@Command(
    name = "logs",
    description = {
      "Print the logs of a job's ranks: that of rank 0 unless told otherwise.",
      "With more than one rank, each line begins with its rank and replica."
    })
public final class LogsCommand extends JobCommand {

  /** Whose logs. */
  static final class Who {
    @Option(
        names = "--rank",
        paramLabel = "N",
        split = ",",
        description = "The rank, or several: --rank 0,3.")
    private List<Integer> ranks = new ArrayList<>();

    @Option(names = "--all-ranks", description = "All ranks.")
    private boolean all;
  }

  @ArgGroup private @Nullable Who who;

  @Option(
      names = "--attempt",
      paramLabel = "K",
      description = "The pods of this attempt, from 0; the latest pod of each rank unless given.")
  private @Nullable Integer attempt;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job ends; pods that come later are picked up.")
  private boolean follow;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "Only the last N lines of each rank; all unless given.")
  private @Nullable Integer tail;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only what is not older, for example 90s, 10m, 2h.")
  private @Nullable String since;

  @Option(
      names = {"-p", "--previous"},
      description =
          "The run before the present one: of the container, or the pod that was replaced.")
  private boolean previous;

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "The container; the one that trains unless given.")
  private @Nullable String container;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      defaultValue = "auto",
      description = "Colour prefixes: ${COMPLETION-CANDIDATES}; auto where a person reads them.")
  private ColorChoice color = ColorChoice.auto;

  @Override
  protected int run(Cluster cluster, Job job) throws InterruptedException {
    if (follow && previous) {
      throw new IllegalArgumentException(
          "--follow and --previous: what is over cannot be followed");
    }
    List<RankedPod> pods = new Jobs(cluster).pods(job);
    RankSelection selection = selection();
    checkContainer(pods);
    LogOptions options = new LogOptions(container, tail, since == null ? null : Spans.parse(since));
    LinePrinter printer = printer(job, selection, pods);
    if (follow) {
      checkRanks(job, selection);
      try (JobWatch watch = new JobWatch(cluster, job, true)) {
        new LogFollower(cluster, watch, selection, options, printer, console::tell).run();
      }
      return ExitCodes.OK;
    }
    LogReader reader = new LogReader(cluster, options, printer, console::tell);
    return previous
        ? printPrevious(job, pods, selection, reader)
        : printLatest(job, pods, selection, reader);
  }

  private RankSelection selection() {
    List<Integer> ranks = who == null || who.ranks.isEmpty() ? List.of(0) : who.ranks;
    return new RankSelection(who != null && who.all ? null : ranks, attempt);
  }

  private void checkContainer(List<RankedPod> pods) {
    if (container == null || pods.isEmpty()) {
      return;
    }
    boolean known =
        pods.stream()
            .anyMatch(
                pod ->
                    pod.containerNames().contains(container)
                        || pod.pod().items("spec", "initContainers").stream()
                            .anyMatch(one -> container.equals(one.text("name"))));
    if (!known) {
      throw new IllegalArgumentException(
          "--container: the pods have no container "
              + container
              + ", but "
              + String.join(", ", pods.get(0).containerNames()));
    }
  }

  private static void checkRanks(Job job, RankSelection selection) {
    if (selection.ranks() != null && !job.spec().isElastic()) {
      for (int rank : selection.ranks()) {
        if (rank < 0 || rank >= job.desired()) {
          throw new IllegalArgumentException(noRank(job, rank));
        }
      }
    }
  }

  private static String noRank(Job job, int rank) {
    return "--rank: " + job.title() + " has no rank " + rank + ", but 0 to " + (job.desired() - 1);
  }

  private LinePrinter printer(Job job, RankSelection selection, List<RankedPod> pods) {
    int width =
        pods.stream().mapToInt(pod -> pod.replica().length()).max().orElse("worker-0".length());
    int ranks = Integer.toString(Math.max(0, job.desired() - 1)).length();
    return new LinePrinter(
        new StandardOutput(console.out()),
        selection.isForMany(),
        color.decide(Terminal.is(Terminal.Stream.OUTPUT), System.getenv()),
        ranks,
        width);
  }

  private int printLatest(
      Job job, List<RankedPod> pods, RankSelection selection, LogReader reader) {
    List<RankedPod> chosen = selection.of(pods);
    if (chosen.isEmpty()) {
      console.tell("error: " + nothing(job, pods, selection));
      return ExitCodes.FAILURE;
    }
    return reader.print(job, chosen, false) > 0 ? ExitCodes.OK : ExitCodes.FAILURE;
  }

  private int printPrevious(
      Job job, List<RankedPod> pods, RankSelection selection, LogReader reader) {
    List<RankedPod> earlier = new ArrayList<>();
    List<RankedPod> inPlace = new ArrayList<>();
    for (RankedPod pod : selection.of(pods)) {
      String name = container == null ? pod.defaultContainer(job.kind()) : container;
      if (pod.container(name).count("restartCount") > 0) {
        inPlace.add(pod);
      }
    }
    for (RankedPod pod : selection.previousOf(pods)) {
      if (inPlace.stream().noneMatch(one -> one.replica().equals(pod.replica()))) {
        earlier.add(pod);
      }
    }
    int read = reader.print(job, inPlace, true) + reader.print(job, earlier, false);
    if (inPlace.isEmpty() && earlier.isEmpty()) {
      console.tell(
          "error: no pod of "
              + job.title()
              + " that was chosen has run before: nothing was restarted, or it is gone");
    }
    return read > 0 ? ExitCodes.OK : ExitCodes.FAILURE;
  }

  private static String nothing(Job job, List<RankedPod> pods, RankSelection selection) {
    if (pods.isEmpty()) {
      return job.title()
          + " has no pods"
          + (job.status().phase().isEnd()
              ? " any more: its cleanUpPolicy or somebody else has taken them"
              : " yet: kubectl pj why " + job.name());
    }
    if (selection.attempt() != null) {
      return "no pod of attempt "
          + selection.attempt()
          + " is there any more; those there are of "
          + pods.stream()
              .map(pod -> "attempt " + pod.attempt())
              .distinct()
              .collect(Collectors.joining(", "));
    }
    return noRank(job, selection.ranks() == null ? 0 : selection.ranks().get(0));
  }
}
