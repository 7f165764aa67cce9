package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.GangFacts;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GangFactsSourceTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final ResourceID JOB = new ResourceID("mnist", "ns");
  private static final VolcanoGang VOLCANO = new VolcanoGang("q", null);

  private record Task(Runnable work, Instant moment) {}

  private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparing(Task::moment));
  private final List<ResourceID> told = new ArrayList<>();
  private Instant now = START;
  private String state = "Closed";
  private List<Event> events = List.of();
  private @Nullable RuntimeException refusal;
  private int queueLists;
  private int eventLists;

  private final Clock clock =
      new Clock() {
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
      };

  private final GangQueues queues =
      new GangQueues(
          kind -> {
            queueLists++;
            if (refusal != null) {
              throw refusal;
            }
            return List.of(
                object(
                    "Queue",
                    "{name: q}",
                    "spec: {capability: {cpu: 4}}, status: {state: " + state + "}"));
          },
          clock);

  private GangFactsSource source() {
    return new GangFactsSource(
        (namespace, uid) -> {
          eventLists++;
          if (refusal != null) {
            throw refusal;
          }
          assertThat(namespace + "/" + uid).isEqualTo("ns/u");
          return new EventListBuilder().withItems(events).build();
        },
        queues,
        clock,
        told::add,
        (task, delay) -> tasks.add(new Task(task, now.plus(delay))));
  }

  private final GangFactsSource source = source();

  private static GenericKubernetesResource object(String kind, String metadata, String more) {
    return Serialization.unmarshal(
        "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: %s, metadata: %s, %s}"
            .formatted(kind, metadata, more),
        GenericKubernetesResource.class);
  }

  private static GenericKubernetesResource group(String phase) {
    return object(
        "PodGroup",
        "{name: mnist, uid: u, creationTimestamp: '" + START + "'}",
        "status: {phase: " + phase + "}");
  }

  private GangFacts look(String phase) {
    return source.of(JOB, VOLCANO, group(phase));
  }

  /** Lets time pass, in which the job is looked at whenever it shall be. */
  private void pass(Duration time, String phase) {
    Instant end = now.plus(time);
    while (!tasks.isEmpty() && !tasks.peek().moment().isAfter(end)) {
      Task next = tasks.remove();
      now = next.moment().isAfter(now) ? next.moment() : now;
      int before = told.size();
      next.work().run();
      if (told.size() > before) {
        look(phase);
      }
    }
    now = end;
  }

  private static Event event(String message, Instant time) {
    return new EventBuilder()
        .withNewMetadata()
        .withName("e")
        .endMetadata()
        .withType("Normal")
        .withReason("Unschedulable")
        .withMessage(message)
        .withLastTimestamp(time.toString())
        .build();
  }

  private String state(GangFacts facts) {
    return Objects.requireNonNull(Objects.requireNonNull(facts.queues()).get("q")).state();
  }

  @Test
  void aGangThatStartsAtOnceAsksForNothing() {
    assertThat(look("Pending")).isEqualTo(GangFacts.NONE);
    pass(Duration.ofSeconds(4), "Pending");
    assertThat(look("Running")).isEqualTo(GangFacts.NONE);
    pass(Duration.ofHours(1), "Running");
    assertThat(queueLists + eventLists).isZero();
    assertThat(told).isEmpty();
    assertThat(source.of(JOB, new CoschedulingGang(null, null), group("Pending")))
        .as("its scheduler has no queues")
        .isEqualTo(GangFacts.NONE);
  }

  @Test
  void aGangThatWaitsIsToldOnceThereIsAnAnswerAndWheneverThatChanges() {
    look("Pending");
    pass(Duration.ofSeconds(6), "Pending");
    assertThat(state(look("Pending"))).isEqualTo("Closed");
    assertThat(look("Pending").beingAsked()).isFalse();
    events = List.of(event("old", START.minusSeconds(1000)), event("queue is full", START));
    pass(Duration.ofSeconds(31), "Pending");
    assertThat(look("Pending").events())
        .extracting(GangFacts.Said::message)
        .containsExactly("queue is full");

    state = "Open";
    told.clear();
    pass(Duration.ofSeconds(62), "Pending");
    assertThat(told).contains(JOB);
    assertThat(state(look("Pending"))).isEqualTo("Open");
  }

  @Test
  void whatIsNotKnownYetIsBeingAsked() {
    now = START.plusSeconds(60); // the operator starts
    assertThat(look("Pending")).isEqualTo(new GangFacts(null, List.of(), true));
    refusal = new KubernetesClientException("away");
    pass(Duration.ofSeconds(1), "Pending");
    refusal = null;
    pass(Duration.ofSeconds(31), "Pending");
    assertThat(look("Pending").beingAsked()).isFalse();
    assertThat(state(look("Pending"))).isEqualTo("Closed");
  }

  @Test
  void queuesAreListedOnceIn30SecondsForAllAndEventsLessAndLessOften() {
    GangFactsSource ofTheOtherKind = source();
    look("Pending");
    for (int minute = 0; minute < 10; minute++) {
      for (int second = 0; second < 60; second += 2) {
        pass(Duration.ofSeconds(2), "Pending");
        look("Pending");
        ofTheOtherKind.of(new ResourceID("other", "ns"), VOLCANO, group("Pending"));
      }
    }
    assertThat(queueLists).isBetween(10, 20);
    assertThat(eventLists).as("of two groups in ten minutes").isBetween(6, 12);
  }

  @Test
  void withoutTheRightNothingIsKnownAndNobodyWaitsForIt() {
    refusal = new KubernetesClientException("no", 403, null);
    look("Pending");
    pass(Duration.ofSeconds(6), "Pending");
    assertThat(look("Pending")).isEqualTo(GangFacts.NONE);
    pass(Duration.ofMinutes(4), "Pending");
    assertThat(queueLists).isEqualTo(1);
  }

  @Test
  void aJobThatIsGoneIsNotLookedAtForEver() {
    look("Pending");
    pass(Duration.ofSeconds(6), "Pending");
    while (!tasks.isEmpty()) {
      Task next = tasks.remove();
      now = next.moment();
      next.work().run(); // and nobody looks
    }
    assertThat(Duration.between(START, now)).isLessThan(Duration.ofMinutes(2));
    assertThat(Map.of("lists", eventLists)).containsEntry("lists", 1);
  }
}
