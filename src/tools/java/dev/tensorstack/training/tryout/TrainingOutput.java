package dev.tensorstack.training.tryout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the training script of the examples has printed, in all pods, in the order in which it came
 * here. Safe for use by several threads.
 */
final class TrainingOutput {

  private static final Pattern ACCURACY = Pattern.compile("accuracy ([0-9.]+)");
  private static final Pattern START =
      Pattern.compile("(?:starting|continuing after epoch (\\d+)), world_size (\\d+)");
  private static final Pattern EPOCH = Pattern.compile("epoch (\\d+)/\\d+ .*world_size (\\d+)");

  private final List<Report> reports = new ArrayList<>();
  private @Nullable String accuracy;

  /**
   * One line of rank 0.
   *
   * @param start whether the processes have just started; else an epoch is finished
   * @param epoch the epochs that are finished: at a start those that the checkpoint holds
   * @param worldSize how many processes train together
   */
  private record Report(boolean start, int epoch, int worldSize) {}

  /**
   * Takes a line of a pod's log.
   *
   * @param line any line; others than the script's own reports say nothing
   */
  synchronized void add(String line) {
    Matcher found = ACCURACY.matcher(line);
    while (found.find()) {
      accuracy = found.group(1);
    }
    Matcher start = START.matcher(line);
    Matcher epoch = EPOCH.matcher(line);
    if (start.find()) {
      String done = start.group(1);
      reports.add(
          new Report(
              true, done == null ? 0 : Integer.parseInt(done), Integer.parseInt(start.group(2))));
    } else if (epoch.find()) {
      reports.add(
          new Report(false, Integer.parseInt(epoch.group(1)), Integer.parseInt(epoch.group(2))));
    }
  }

  /** The last accuracy that was printed, or null. */
  synchronized @Nullable String accuracy() {
    return accuracy;
  }

  /** How much was reported so far: a mark for {@link #trained} and {@link #forgotten}. */
  synchronized int size() {
    return reports.size();
  }

  /**
   * Whether the processes have started anew in a group of some size, and have finished an epoch in
   * it.
   *
   * @param since a mark; what came before it does not count
   * @param worldSize the size of the group
   * @return the epochs that were done already when the group started; empty when none has done this
   */
  synchronized Optional<Integer> trained(int since, int worldSize) {
    Integer from = null;
    for (Report report : reports.subList(since, reports.size())) {
      if (report.start) {
        from = report.worldSize == worldSize ? report.epoch : null;
      } else if (from != null && report.worldSize == worldSize) {
        return Optional.of(from);
      }
    }
    return Optional.empty();
  }

  /**
   * Starts that did not go on from the checkpoint.
   *
   * @param since a mark; starts before it are left out
   * @return one sentence for each start that knew of fewer epochs than had been reported before it
   */
  synchronized List<String> forgotten(int since) {
    List<String> found = new ArrayList<>();
    int finished = 0;
    for (int i = 0; i < reports.size(); i++) {
      Report report = reports.get(i);
      if (report.start && report.epoch < finished && i >= since) {
        found.add(
            "the training went on after epoch "
                + report.epoch
                + ", though epoch "
                + finished
                + " was finished");
      }
      finished = report.start ? finished : Math.max(finished, report.epoch);
    }
    return found;
  }
}
