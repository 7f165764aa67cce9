package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the job of {@code examples/digits-elastic.yaml} through what may happen to an elastic job:
 * it grows, shrinks, loses a worker and loses its master. Each step begins when the one before has
 * had its effect: the training itself reports the new number of processes.
 */
final class ElasticSteps implements JobSteps<PyTorchTrainingJob> {

  /** How long one step may take. Two to four starts of PyTorch fit in, on a slow machine too. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Clock clock;
  private final Path goOn;
  private final Consumer<String> progress;
  private final Deque<ElasticStep> steps;
  private @Nullable ElasticView before;
  private Instant begun = Instant.MAX;
  private List<String> missing = List.of();

  /**
   * The steps of one job.
   *
   * @param steps what is done, in this order
   * @param goOn the file that keeps the training going until all steps are taken
   * @param progress receives lines for the person who waits
   */
  ElasticSteps(List<ElasticStep> steps, Clock clock, Path goOn, Consumer<String> progress) {
    this.steps = new ArrayDeque<>(steps);
    this.clock = clock;
    this.goOn = goOn;
    this.progress = progress;
  }

  @Override
  public void next(Sight<PyTorchTrainingJob> sight) {
    ElasticStep step = steps.peek();
    if (step == null) {
      return;
    }
    ElasticView now = ElasticView.of(sight);
    ElasticView since = before;
    if (since == null) {
      progress.accept("step: " + step.title());
      before = now;
      begun = clock.instant();
      step.action().accept(now);
      return;
    }
    missing = step.missing(since, now, sight.output());
    Duration taken = Duration.between(begun, clock.instant());
    if (!missing.isEmpty()) {
      if (taken.compareTo(LIMIT) > 0) {
        throw failed(step, "has had no effect for " + LIMIT.toSeconds() + " s", missing);
      }
      return;
    }
    List<String> broken = step.broken(since, now, sight.output());
    if (!broken.isEmpty()) {
      throw failed(step, "has broken a promise", broken);
    }
    progress.accept(
        "step done in "
            + taken.toSeconds()
            + " s: "
            + step.title()
            + ": "
            + step.result(since, now, sight.output()));
    steps.remove();
    before = null;
    if (steps.isEmpty()) {
      progress.accept("all steps are taken; the training may end");
      letEnd();
    }
  }

  /**
   * Steps that were not taken to their end.
   *
   * @return their titles, the one that was on its way with what it waited for
   */
  List<String> open() {
    List<String> open = new ArrayList<>();
    for (ElasticStep step : steps) {
      open.add(
          step == steps.peek() && before != null ? step.title() + ": " + missing : step.title());
    }
    return open;
  }

  private void letEnd() {
    try {
      Files.deleteIfExists(goOn);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static StepFailedException failed(ElasticStep step, String how, List<String> why) {
    return new StepFailedException(
        "step \"" + step.title() + "\" " + how + ":\n  " + String.join("\n  ", why));
  }
}
