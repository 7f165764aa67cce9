package dev.tensorstack.training.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrainingOutputTest {

  private final TrainingOutput output = new TrainingOutput();

  @Test
  void aGroupHasTrainedOnceItHasStartedAndFinishedAnEpoch() {
    output.add("starting, world_size 2");
    assertThat(output.trained(0, 2)).isEmpty();
    output.add("epoch 1/20 loss 1.9558 accuracy 0.7667 world_size 2");
    assertThat(output.trained(0, 2)).contains(0);
    assertThat(output.trained(0, 4)).isEmpty();
  }

  @Test
  void whatCameBeforeTheMarkDoesNotCount() {
    output.add("starting, world_size 2");
    output.add("epoch 1/20 loss 1.9558 accuracy 0.7667 world_size 2");
    int mark = output.size();
    output.add("epoch 2/20 loss 1.5 accuracy 0.8 world_size 2");
    assertThat(output.trained(mark, 2)).as("the old group's late line").isEmpty();
    output.add("continuing after epoch 2, world_size 2");
    output.add("epoch 3/20 loss 1.2 accuracy 0.85 world_size 2");
    assertThat(output.trained(mark, 2)).contains(2);
  }

  @Test
  void aGroupOfAnotherSizeInBetweenIsNotTheOneThatWasAskedFor() {
    output.add("starting, world_size 4");
    output.add("starting, world_size 3");
    output.add("epoch 1/20 loss 1.9 accuracy 0.7 world_size 3");
    assertThat(output.trained(0, 4)).isEmpty();
    assertThat(output.trained(0, 3)).contains(0);
  }

  @Test
  void aStartThatKnowsOfFewerEpochsThanWereFinishedHasForgotten() {
    output.add("starting, world_size 2");
    output.add("epoch 1/20 loss 1.9 accuracy 0.7 world_size 2");
    output.add("epoch 2/20 loss 1.5 accuracy 0.8 world_size 2");
    output.add("continuing after epoch 2, world_size 4");
    assertThat(output.forgotten(0)).isEmpty();
    int mark = output.size();
    output.add("continuing after epoch 1, world_size 4");
    output.add("starting, world_size 4");
    assertThat(output.forgotten(mark))
        .containsExactly(
            "the training went on after epoch 1, though epoch 2 was finished",
            "the training went on after epoch 0, though epoch 2 was finished");
    assertThat(output.forgotten(output.size())).isEmpty();
  }

  @Test
  void theAccuracyIsTheLastOneThatWasPrinted() {
    assertThat(output.accuracy()).isNull();
    output.add("epoch 1/20 loss 1.9 accuracy 0.7 world_size 2");
    output.add("[rank1] Traceback (most recent call last)");
    output.add("accuracy 0.9833");
    assertThat(output.accuracy()).isEqualTo("0.9833");
  }
}
