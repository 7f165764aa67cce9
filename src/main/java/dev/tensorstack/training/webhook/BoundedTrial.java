package dev.tensorstack.training.webhook;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sends so many pods to the API server at once, whoever asks; the others wait. A pod whose answer
 * nobody waits for any more is not sent.
 */
final class BoundedTrial implements PodDryRun.PodTrial {

  private final PodDryRun.PodTrial trial;
  private final Turns turns;

  BoundedTrial(PodDryRun.PodTrial trial, int atOnce) {
    this.trial = trial;
    // Each review waits for two seconds at most, and their number is bounded.
    this.turns = new Turns(atOnce, Integer.MAX_VALUE);
  }

  @Override
  public CompletionStage<Boolean> serves(String group) {
    return trial.serves(group);
  }

  @Override
  public CompletionStage<PodAnswer> create(Pod pod, TemplatePath path) {
    CompletableFuture<PodAnswer> answer = new CompletableFuture<>();
    Turns.Turn turn = turns.ask(begun -> send(pod, path, answer, begun));
    if (turn == null) {
      return CompletableFuture.completedFuture(PodAnswer.NO_OBJECTION);
    }
    // The caller completes it when it waits no longer.
    var unused = answer.whenComplete((answered, failure) -> turn.leave());
    return answer;
  }

  private void send(
      Pod pod, TemplatePath path, CompletableFuture<PodAnswer> answer, Turns.Turn turn) {
    if (answer.isDone()) {
      turn.end();
      return;
    }
    CompletionStage<PodAnswer> sent;
    try {
      sent = trial.create(pod, path);
    } catch (RuntimeException notSent) {
      sent = CompletableFuture.failedFuture(notSent);
    }
    var unused =
        sent.whenComplete(
            (answered, failure) -> {
              if (failure == null) {
                answer.complete(answered);
              } else {
                answer.completeExceptionally(failure);
              }
              turn.end();
            });
  }
}
