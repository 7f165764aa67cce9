package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PodReadingsTest {

  private final TrainingJob job = FreshJob.named("ns", "job", "job-uid");

  /** The job once a status lists its pod {@code a}. */
  private final TrainingJob listed =
      FreshJob.with(
          job,
          Ledger.EMPTY.withSlots(
              Map.of(new ReplicaId("worker", 0), new Ledger.Slot(0, "a", null))));

  private final AtomicLong nanoTime = new AtomicLong();
  private final PodReadings readings = new PodReadings(nanoTime::get);

  private Pod pod(int index, String uid, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(job.names().pod("worker", index, 0))
        .withUid(uid)
        .addToLabels(TrainingJobLabels.REPLICA_TYPE, "worker")
        .addToLabels(TrainingJobLabels.REPLICA_INDEX, String.valueOf(index))
        .endMetadata()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private List<ObservedPod> read(Pod... pods) {
    return readings.read(List.of(pods), job);
  }

  @Test
  void aPodThatHasNotChangedIsNotReadAgain() {
    Pod pod = pod(0, "a", "Pending");
    ObservedPod first = read(pod).get(0);
    assertThat(read(pod)).singleElement().isSameAs(first);
  }

  @Test
  void aChangedPodIsReadAgain() {
    read(pod(0, "a", "Pending"));
    assertThat(read(pod(0, "a", "Running")))
        .extracting(ObservedPod::phase)
        .containsExactly(ObservedPod.Phase.RUNNING);
  }

  @Test
  void aPodThatIsGoneIsForgotten() {
    Pod first = pod(0, "a", "Pending");
    read(first, pod(1, "b", "Pending"));
    assertThat(read(first)).extracting(ObservedPod::uid).containsExactly("a");
  }

  @Test
  void howAPodEndedIsKeptUntilAnotherTakesItsPlace() {
    ReplicaId id = new ReplicaId("worker", 0);
    Ledger ledger = Ledger.EMPTY.withSlots(Map.of(id, new Ledger.Slot(0, "a", null)));
    read(pod(0, "a", "Failed"));
    assertThat(readings.ended()).as("it is there").isEmpty();
    readings.read(List.of(), FreshJob.with(job, ledger));
    assertThat(readings.ended()).containsOnlyKeys(job.names().pod("worker", 0, 0));
    readings.read(List.of(), FreshJob.with(job, ledger));
    assertThat(readings.ended()).hasSize(1);

    Ledger recorded =
        ledger.withSlots(
            Map.of(id, new Ledger.Slot(0, "a", null).ended(Ledger.RecordedEnd.SUCCEEDED)));
    readings.read(List.of(), FreshJob.with(job, recorded));
    assertThat(readings.ended()).as("it says when, and more").hasSize(1);

    Ledger replaced = ledger.withSlots(Map.of(id, new Ledger.Slot(1, null, null)));
    readings.read(List.of(), FreshJob.with(job, replaced));
    assertThat(readings.ended()).isEmpty();
  }

  /** The watch brings the last version with the removal; no look need have come between. */
  @Test
  void theLastVersionSaysHowAPodEndedThatNoLookHasSeen() {
    read(pod(0, "a", "Running"));
    readings.removed(pod(0, "a", "Failed"));
    readings.read(List.of(), listed);
    assertThat(readings.ended().values())
        .extracting(ObservedPod::phase)
        .containsExactly(ObservedPod.Phase.FAILED);
  }

  /** Times are whole seconds: what was seen first is known better. */
  @Test
  void whatWasSeenToHaveEndedHasEndedBeforeItsDeletionInTheSameSecond() {
    Pod ended = ended(pod(0, "a", "Succeeded"));
    Pod deleted = deleted(ended);
    assertThat(read(deleted)).extracting(ObservedPod::endedByItself).containsExactly(false);
    read(ended);
    assertThat(read(deleted)).extracting(ObservedPod::endedByItself).containsExactly(true);
  }

  @Test
  void theVersionBeforeTheDeletionSaysItAlthoughNoLookHasSeenIt() {
    Pod ended = ended(pod(0, "a", "Succeeded"));
    Pod deleted = deleted(ended);
    read(pod(0, "a", "Running"));
    readings.deletionRequested(ended);
    assertThat(read(deleted)).extracting(ObservedPod::endedByItself).containsExactly(true);
  }

  @Test
  void howAPodHasEndedIsNotChangedByWhatIsWrittenWhileItIsDeleted() {
    Pod ended = ended(pod(0, "a", "Succeeded"));
    Pod overwritten =
        new PodBuilder(deleted(ended))
            .editStatus()
            .withPhase("Failed")
            .editFirstContainerStatus()
            .editState()
            .editTerminated()
            .withExitCode(143)
            .endTerminated()
            .endState()
            .endContainerStatus()
            .endStatus()
            .build();
    read(pod(0, "a", "Running"));
    readings.deletionRequested(ended);
    assertThat(read(overwritten))
        .extracting(ObservedPod::phase, ObservedPod::deleting, ObservedPod::endedByItself)
        .containsExactly(tuple(ObservedPod.Phase.SUCCEEDED, true, true));
  }

  /** The cache has the mark before the watch's handler is told of the version between. */
  @Test
  void aDeletionIsNotJudgedBeforeTheWatchHasToldOfIt() {
    Pod ended = ended(pod(0, "a", "Succeeded"));
    Pod deleted = deleted(ended);
    read(pod(0, "a", "Running"));
    read(deleted);
    assertThat(readings.awaitNotice()).isTrue();
    read(deleted);
    assertThat(readings.awaitNotice()).isTrue();

    readings.deletionRequested(ended);
    assertThat(read(deleted)).extracting(ObservedPod::endedByItself).containsExactly(true);
    assertThat(readings.awaitNotice()).isFalse();
  }

  @Test
  void aRemovalIsNotJudgedBeforeTheWatchHasToldOfIt() {
    read(pod(0, "a", "Running"));
    readings.read(List.of(), listed);
    assertThat(readings.awaitNotice()).isTrue();
    assertThat(readings.ended()).isEmpty();

    readings.removed(pod(0, "a", "Failed"));
    readings.read(List.of(), listed);
    assertThat(readings.awaitNotice()).isFalse();
    assertThat(readings.ended()).hasSize(1);
  }

  /** The pods were listed before, and are read after it. */
  @Test
  void aRemovalThatIsToldWhileThePodIsStillListedIsNotForgotten() {
    Pod running = pod(0, "a", "Running");
    read(running);
    readings.removed(pod(0, "a", "Failed"));
    readings.read(List.of(running), listed);
    assertThat(readings.awaitNotice()).isFalse();
    readings.read(List.of(), listed);
    assertThat(readings.awaitNotice()).isFalse();
    assertThat(readings.ended()).hasSize(1);
  }

  @Test
  void theVersionBeforeTheMarkIsKeptUntilTheRemovalIsTold() {
    Pod ended = ended(pod(0, "a", "Succeeded"));
    read(pod(0, "a", "Running"));
    readings.deletionRequested(ended);
    readings.read(List.of(), listed);
    assertThat(readings.awaitNotice()).isTrue();
    readings.removed(deleted(ended));
    readings.read(List.of(), listed);
    assertThat(readings.ended().values())
        .extracting(ObservedPod::phase)
        .containsExactly(ObservedPod.Phase.SUCCEEDED);
  }

  /** A kubelet says why it has ended a pod after it has said how the containers ended. */
  @Test
  void theLastVersionBeforeTheMarkCounts() {
    Pod killed = endedBeforeItsPhase();
    Pod evicted =
        new PodBuilder(killed)
            .editStatus()
            .withPhase("Failed")
            .withReason("Evicted")
            .endStatus()
            .build();
    assertThat(read(killed)).extracting(ObservedPod::endedByItself).containsExactly(true);
    readings.deletionRequested(evicted);
    assertThat(read(deleted(evicted)))
        .extracting(ObservedPod::reason, ObservedPod::endedByItself)
        .containsExactly(tuple("Evicted", true));
  }

  @Test
  void aPodThatRunsAfterAllIsNotBeingDeleted() {
    Pod ended = endedBeforeItsPhase();
    assertThat(read(ended)).extracting(ObservedPod::ended).containsExactly(true);
    assertThat(read(pod(0, "a", "Running"))).extracting(ObservedPod::live).containsExactly(true);
  }

  /** One pod after the other may go while a node is drained. */
  @Test
  void noticesAreAwaitedForFiveSecondsInAllAndThenLookedAtOnce() {
    read(pod(0, "a", "Running"), pod(1, "b", "Running"));
    read(pod(1, "b", "Running"));
    nanoTime.addAndGet(Duration.ofSeconds(4).toNanos());
    read();
    assertThat(readings.awaitNotice()).isTrue();
    nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
    read();
    assertThat(readings.awaitNotice()).isFalse();
  }

  /** A pod that was created and removed between two lists was in no watch. */
  @Test
  void aNoticeThatDoesNotComeIsAwaitedForFiveSeconds() {
    read(pod(0, "a", "Running"));
    read();
    nanoTime.addAndGet(Duration.ofMillis(4_999).toNanos());
    read();
    assertThat(readings.awaitNotice()).isTrue();
    nanoTime.addAndGet(Duration.ofMillis(1).toNanos());
    read();
    assertThat(readings.awaitNotice()).isFalse();
    read();
    assertThat(readings.awaitNotice()).isFalse();
  }

  @Test
  void noNoticeIsAwaitedOfAPodThatWasSeenToHaveEndedOrWasMarkedBefore() {
    Pod running = pod(0, "a", "Running");
    read(running, pod(1, "b", "Succeeded"));
    readings.deletionRequested(running);
    read(deleted(running));
    assertThat(readings.awaitNotice()).isFalse();
  }

  private static Pod deleted(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp("2026-01-01T00:00:37Z")
        .withDeletionGracePeriodSeconds(30L)
        .endMetadata()
        .build();
  }

  /** Its containers have ended, its phase does not say so yet. */
  private Pod endedBeforeItsPhase() {
    return new PodBuilder(ended(pod(0, "a", "Running")))
        .withNewSpec()
        .withRestartPolicy("Never")
        .endSpec()
        .build();
  }

  private static Pod ended(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewContainerStatus()
        .withName("pytorch")
        .withNewState()
        .withNewTerminated()
        .withExitCode(0)
        .withFinishedAt("2026-01-01T00:00:07Z")
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }

  @Test
  void howAPodEndedThatTheStatusDoesNotListIsNotKept() {
    read(pod(0, "a", "Failed"));
    read();
    assertThat(readings.ended()).isEmpty();

    ReplicaId id = new ReplicaId("worker", 0);
    for (Ledger.Slot slot :
        List.of(new Ledger.Slot(0, "other", null), new Ledger.Slot(1, null, null))) {
      read(pod(0, "a", "Failed"));
      readings.read(List.of(), FreshJob.with(job, Ledger.EMPTY.withSlots(Map.of(id, slot))));
      assertThat(readings.ended()).as(slot.toString()).isEmpty();
    }
  }

  @Test
  void howAPodEndedIsNotKeptForTheNextOneOfItsName() {
    Ledger large =
        Ledger.EMPTY.withSlots(
            Map.of(new ReplicaId("worker", 0), new Ledger.Slot(0, Ledger.Slot.NOT_LISTED, null)));
    read(pod(0, "a", "Failed"));
    readings.read(List.of(), FreshJob.with(job, large));
    assertThat(readings.ended()).hasSize(1);
    readings.read(List.of(pod(0, "b", "Running")), FreshJob.with(job, large));
    assertThat(readings.ended()).isEmpty();
  }

  @Test
  void aPodThatRanUntilItWasRemovedHasNotEnded() {
    read(pod(0, "a", "Running"));
    readings.read(List.of(), listed);
    assertThat(readings.ended()).isEmpty();
  }

  @Test
  void aPodWithoutTheLabelsOfAReplicaIsNone() {
    Pod stripped =
        new PodBuilder(pod(0, "a", "Running"))
            .editMetadata()
            .withLabels(null)
            .endMetadata()
            .build();
    assertThat(read(stripped)).isEmpty();
    assertThat(read(stripped, pod(1, "b", "Running")))
        .extracting(ObservedPod::uid)
        .containsExactly("b");
  }

  @Test
  void aPodThatWasRemovedWhilePendingHasNeverStartedUntilANamesakeComes() {
    read(pod(0, "a", "Pending"), pod(1, "b", "Running"));
    readings.removed(pod(0, "a", "Pending"));
    readings.removed(pod(1, "b", "Running"));
    read();
    assertThat(readings.neverStarted()).containsExactly(job.names().pod("worker", 0, 0));
    read(pod(0, "c", "Pending"));
    assertThat(readings.neverStarted()).isEmpty();
  }

  /** The cache shows the removal before the watch tells of the version in between. */
  @Test
  void aPodThatRanAfterTheLastLookHasStartedOnceTheWatchTells() {
    read(pod(0, "a", "Pending"));
    read();
    assertThat(readings.awaitNotice()).as("nothing is decided yet").isTrue();
    readings.removed(pod(0, "a", "Running"));
    read();
    assertThat(readings.neverStarted()).isEmpty();
  }

  @Test
  void whatWasRemovedWhileTheWatchWasCutOffMayHaveRun() {
    read(pod(0, "a", "Pending"));
    readings.removedUnseen(pod(0, "a", "Pending"));
    read();
    assertThat(readings.neverStarted()).isEmpty();
  }
}
