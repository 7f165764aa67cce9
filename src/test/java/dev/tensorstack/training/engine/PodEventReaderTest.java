package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventList;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodEventReaderTest {

  private static final ResourceID JOB = new ResourceID("mnist", "ns");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final String CAUSE =
      "MountVolume.SetUp failed for volume \"v\" : configmap \"c\" not found";

  private final Times clock = new Times();
  private final List<ResourceID> told = new CopyOnWriteArrayList<>();
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<String> pages = new CopyOnWriteArrayList<>();
  private volatile @Nullable KubernetesClientException refusal;
  private final PodEventReader troubles = new PodEventReader(this::page, clock, told::add);

  /** A clock that is set. */
  private static final class Times extends Clock {
    private volatile Instant now = START;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  /** One event on each page. */
  private EventList page(String namespace, @Nullable String next) {
    int number = next == null ? 0 : Integer.parseInt(next);
    pages.add(namespace + " " + number);
    if (refusal != null) {
      throw refusal;
    }
    return new EventListBuilder()
        .withNewMetadata()
        .withContinue(number + 1 < events.size() ? Integer.toString(number + 1) : "")
        .endMetadata()
        .withItems(events.isEmpty() ? List.of() : List.of(events.get(number)))
        .build();
  }

  private static ObservedPod pod(String reason) {
    return PodReader.read(
            new PodBuilder()
                .withNewMetadata()
                .withName("mnist-12e8d-worker-0")
                .withUid("uid")
                .withCreationTimestamp(START.toString())
                .withLabels(
                    Map.of(
                        TrainingJobLabels.REPLICA_TYPE,
                        "worker",
                        TrainingJobLabels.REPLICA_INDEX,
                        "0"))
                .endMetadata()
                .withNewSpec()
                .withNodeName("n1")
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .addNewContainerStatus()
                .withName("pytorch")
                .withNewState()
                .withNewWaiting()
                .withReason(reason)
                .endWaiting()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build(),
            FreshJob.named("ns", "mnist", "422e8cc7-163f-4d49-9fb8-d059e490a09b"))
        .orElseThrow();
  }

  private void event(String uid, String reason, String message, Instant time) {
    events.add(
        new EventBuilder()
            .withNewMetadata()
            .endMetadata()
            .withReason(reason)
            .withMessage(message)
            .withLastTimestamp(time.toString())
            .withNewInvolvedObject()
            .withUid(uid)
            .endInvolvedObject()
            .build());
  }

  private Map<String, String> look(String reason) {
    return troubles.of(JOB, List.of(pod(reason)));
  }

  private Map<String, String> answerAfter(Duration time) {
    clock.now = START.plus(time);
    assertThat(look("ContainerCreating")).as("nobody waits").isEmpty();
    await("an answer").until(() -> !told.isEmpty());
    return look("ContainerCreating");
  }

  @Test
  void nobodyIsAskedWhileItMayStillBeAnImage() {
    clock.now = START.plus(PodEventReader.PATIENCE).minusMillis(1);
    assertThat(look("ContainerCreating")).isEmpty();
    clock.now = START.plus(Duration.ofHours(1));
    assertThat(look("ErrImagePull")).isEmpty();
    assertThat(troubles.of(JOB, List.of(pod("ContainerCreating").lost(START)))).isEmpty();
    assertThat(pages).isEmpty();
  }

  @Test
  void theEventThatNamesTheMissingObjectIsTheOneToldWhereverItStands() {
    Instant late = START.plusSeconds(25);
    event("other", "FailedMount", "of another pod", late);
    event("uid", "BackOff", "of another kind", late);
    event("uid", "FailedMount", "older: " + CAUSE, late.minusSeconds(20));
    event("uid", "FailedMount", CAUSE, late.minusSeconds(10));
    event("uid", "FailedMount", "Unable to attach or mount volumes: timed out", late);
    assertThat(answerAfter(PodEventReader.PATIENCE)).containsEntry("uid", "FailedMount, " + CAUSE);
    assertThat(pages).containsExactly("ns 0", "ns 1", "ns 2", "ns 3", "ns 4");
  }

  @Test
  void itIsAskedAgainLessAndLessOften() {
    event("uid", "FailedMount", CAUSE, START.plusSeconds(30));
    assertThat(answerAfter(PodEventReader.PATIENCE)).isNotEmpty();
    clock.now = START.plusSeconds(30 + 59);
    assertThat(look("ContainerCreating")).isNotEmpty();
    assertThat(pages).hasSize(1);
    clock.now = START.plusSeconds(30 + 60);
    assertThat(look("ContainerCreating")).isNotEmpty();
    await("a second question").until(() -> pages.size() == 2);
  }

  @Test
  void whatIsNotRepeatedIsOver() {
    event("uid", "FailedMount", CAUSE, START.plusSeconds(20));
    clock.now = START.plus(Duration.ofMinutes(20));
    assertThat(look("ContainerCreating")).isEmpty();
    await("a question").until(() -> pages.size() == 1);
    assertThat(look("ContainerCreating")).isEmpty();
  }

  @Test
  void withoutTheRightNothingIsSaidAndNothingBreaks() {
    refusal = new KubernetesClientException("no", 403, new Status());
    clock.now = START.plus(PodEventReader.PATIENCE);
    assertThat(look("ContainerCreating")).isEmpty();
    await("a question").until(() -> pages.size() == 1);
    assertThat(look("ContainerCreating")).isEmpty();
    assertThat(pages).hasSize(1);
  }
}
