package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.PodPriorities;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PriorityClassesTest {

  private static final ResourceID JOB = new ResourceID("mnist", "ns");
  private static final ResourceID OTHER = new ResourceID("other", "ns");

  private final List<ResourceID> told = new ArrayList<>();
  private final Queue<Runnable> background = new ArrayDeque<>();
  private final Queue<Duration> delays = new ArrayDeque<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private List<PriorityClass> served = List.of(priorityClass("high", 10, false));
  private @Nullable RuntimeException refusal;
  private int lists;

  private final PriorityClasses classes =
      new PriorityClasses(
          () -> {
            lists++;
            if (refusal != null) {
              throw refusal;
            }
            return served;
          },
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
          },
          told::add,
          (task, delay) -> {
            background.add(task);
            delays.add(delay);
          });

  private static PriorityClass priorityClass(String name, int value, boolean isDefault) {
    return new PriorityClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withValue(value)
        .withGlobalDefault(isDefault ? true : null)
        .build();
  }

  private void answer() {
    now = now.plus(delays.remove());
    background.remove().run();
  }

  @Test
  void whoAsksBeforeTheFirstAnswerIsToldOnceAndNobodyWaits() {
    assertThat(classes.of(JOB, Set.of())).isNull();
    assertThat(classes.of(OTHER, Set.of())).isNull();
    assertThat(classes.of(JOB, Set.of())).isNull();
    assertThat(background).as("one question for all").hasSize(1);

    answer();

    assertThat(told).containsExactlyInAnyOrder(JOB, OTHER);
    assertThat(classes.of(JOB, Set.of())).isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    assertThat(background).isEmpty();
  }

  @Test
  void whoAskedWhileItWasFoundOutIsToldOfWhatHasChanged() {
    classes.of(JOB, Set.of());
    answer();
    told.clear();
    served = List.of(priorityClass("high", 10, false), priorityClass("usual", 5, true));
    now = now.plus(ClusterFacts.VALID).minusSeconds(1);
    classes.of(JOB, Set.of());
    assertThat(background).isEmpty();

    now = now.plusSeconds(1);
    assertThat(classes.of(JOB, Set.of())).isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    answer();

    assertThat(told).containsExactly(JOB);
    assertThat(classes.of(JOB, Set.of()))
        .isEqualTo(new PodPriorities(Map.of("high", 10, "usual", 5), 5));
    now = now.plus(ClusterFacts.VALID);
    classes.of(JOB, Set.of());
    answer();
    assertThat(told).as("nothing has changed").containsExactly(JOB);
  }

  @Test
  void aClassThatComesWithItsJobIsWaitedForAndOneThatIsMissingIsNot() {
    classes.of(OTHER, Set.of());
    answer();
    told.clear();
    now = now.plus(ClusterFacts.VALID_WITHOUT_A_PART);

    assertThat(classes.of(JOB, Set.of("high", "missing"))).isNull();
    assertThat(classes.of(OTHER, Set.of("high"))).as("has all that it needs").isNotNull();
    answer();
    assertThat(told).containsExactly(JOB);
    assertThat(classes.of(JOB, Set.of("high", "missing")))
        .as("the API server refuses its pods, which says more")
        .isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    assertThat(background).isEmpty();
  }

  @Test
  void podsThatNameNoClassHaveTheLowestDefaultAsTheAdmissionOfKubernetesSays() {
    served =
        List.of(
            priorityClass("high", 10, false),
            priorityClass("usual", 5, true),
            priorityClass("other", 7, true));
    classes.of(JOB, Set.of());
    answer();

    assertThat(classes.of(JOB, Set.of()))
        .isEqualTo(new PodPriorities(Map.of("high", 10, "usual", 5, "other", 7), 5));
  }

  @Test
  void withoutTheRightAllPodsAreEquallyImportantUntilItIsGivenAndNobodyNeedsToLook() {
    refusal = new KubernetesClientException("forbidden", 403, null);
    classes.of(JOB, Set.of());
    answer();
    assertThat(told).containsExactly(JOB);
    assertThat(classes.of(OTHER, Set.of())).isEqualTo(PodPriorities.EQUAL);
    assertThat(delays).containsExactly(ClusterFacts.REFUSED_FOR);

    answer();
    assertThat(told).as("no news").containsExactly(JOB);
    refusal = null;
    answer();

    assertThat(told).containsExactlyInAnyOrder(JOB, JOB, OTHER);
    assertThat(classes.of(JOB, Set.of())).isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    assertThat(background).isEmpty();
    assertThat(lists).isEqualTo(3);
  }

  @Test
  void whileTheApiServerIsAwayNothingIsDecidedAndItIsAskedAgain() {
    for (RuntimeException one :
        List.of(new KubernetesClientException("away"), new IllegalStateException("a mistake"))) {
      refusal = one;
      if (lists == 0) {
        classes.of(JOB, Set.of());
      }
      answer();
      assertThat(classes.of(JOB, Set.of())).as(one.getMessage()).isNull();
    }
    assertThat(delays).containsExactly(Duration.ofSeconds(2));
    assertThat(told).isEmpty();

    refusal = null;
    answer();
    assertThat(told).containsExactly(JOB);
    assertThat(classes.of(JOB, Set.of())).isEqualTo(new PodPriorities(Map.of("high", 10), 0));

    for (int code : new int[] {403, 503}) {
      refusal = new KubernetesClientException("not now", code, null);
      now = now.plus(ClusterFacts.REFUSED_FOR);
      classes.of(JOB, Set.of());
      answer();
      assertThat(classes.of(JOB, Set.of()))
          .as("what was known")
          .isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    }
    assertThat(background).as("nobody waits").isEmpty();
  }

  @Test
  void aLookAtAJobPlansNoSecondRetry() {
    refusal = new KubernetesClientException("away");
    classes.of(JOB, Set.of());
    answer();
    now = now.plusSeconds(1);
    classes.of(JOB, Set.of());
    assertThat(delays).containsExactly(Duration.ofSeconds(1), Duration.ZERO);
    background.add(background.remove()); // the look comes first
    delays.add(delays.remove());
    answer();

    assertThat(background).hasSize(1);
    answer();
    assertThat(background).hasSize(1);
  }

  @Test
  void aClockThatIsPutBackStopsNothing() {
    classes.of(JOB, Set.of());
    answer();
    now = now.minus(Duration.ofHours(1));
    classes.of(JOB, Set.of());
    answer();
    assertThat(lists).isEqualTo(2);
  }
}
