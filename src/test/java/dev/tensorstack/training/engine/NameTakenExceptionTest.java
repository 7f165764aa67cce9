package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

class NameTakenExceptionTest {

  private static final TrainingJob JOB = FreshJob.named("ns", "mnist", "u-2");

  private static Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("ns")
        .withName("mnist-master-0")
        .endMetadata()
        .build();
  }

  @Test
  void whatMayStayForEverIsSomebodyElses() {
    NameTakenException taken = new NameTakenException(pod(), JOB);

    assertThat(taken.kind()).isEqualTo(WriteFailure.Kind.NAME_TAKEN);
    assertThat(taken.words()).contains("somebody else", "another name");
    assertThat(taken).hasMessage("mnist-master-0");
  }

  @Test
  void whatAnEarlierJobHasLeftIsWaitedFor() {
    Pod left =
        new PodBuilder(pod())
            .editMetadata()
            .withOwnerReferences(OwnedBy.job(FreshJob.named("ns", "mnist", "u-1")))
            .endMetadata()
            .build();
    NameTakenException ending = new NameTakenException(left, JOB);

    assertThat(ending.kind()).isEqualTo(WriteFailure.Kind.NAME_ENDING);
    assertThat(ending.words()).isEqualTo("an earlier object of this name is still being deleted");
  }

  @Test
  void whatIsBeingDeletedIsWaitedForWhoeverOwnsIt() {
    Pod deleting =
        new PodBuilder(pod())
            .editMetadata()
            .withDeletionTimestamp("2026-01-01T00:00:00Z")
            .endMetadata()
            .build();

    assertThat(new NameTakenException(deleting, JOB).kind())
        .isEqualTo(WriteFailure.Kind.NAME_ENDING);
  }
}
