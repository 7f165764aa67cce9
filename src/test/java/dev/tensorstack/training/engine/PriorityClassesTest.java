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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PriorityClassesTest {

  private static final ResourceID JOB = new ResourceID("mnist", "ns");
  private static final ResourceID OTHER = new ResourceID("other", "ns");

  private final List<ResourceID> told = new ArrayList<>();
  private final Queue<Runnable> background = new ArrayDeque<>();
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
          background::add);

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
    background.remove().run();
  }

  @Test
  void whoAsksBeforeTheFirstAnswerIsToldOnceAndNobodyWaits() {
    assertThat(classes.of(JOB)).isNull();
    assertThat(classes.of(OTHER)).isNull();
    assertThat(classes.of(JOB)).isNull();
    assertThat(background).as("one question for all").hasSize(1);

    answer();

    assertThat(told).containsExactlyInAnyOrder(JOB, OTHER);
    assertThat(classes.of(JOB)).isEqualTo(new PodPriorities(Map.of("high", 10), 0));
    assertThat(background).isEmpty();
  }

  @Test
  void aClassThatIsMadeLaterIsSeenSoon() {
    classes.of(JOB);
    answer();
    served = List.of(priorityClass("high", 10, false), priorityClass("low", -1, false));
    now = now.plus(PriorityClasses.VALID).minusSeconds(1);
    classes.of(JOB);
    assertThat(background).isEmpty();

    now = now.plusSeconds(1);
    assertThat(classes.of(JOB)).as("what is known, meanwhile").isNotNull();
    answer();

    assertThat(classes.of(JOB)).isEqualTo(new PodPriorities(Map.of("high", 10, "low", -1), 0));
    assertThat(told).as("only the first answer is waited for").containsExactly(JOB);
  }

  @Test
  void podsThatNameNoClassHaveTheLowestDefaultAsTheAdmissionOfKubernetesSays() {
    served =
        List.of(
            priorityClass("high", 10, false),
            priorityClass("usual", 5, true),
            priorityClass("other", 7, true));
    classes.of(JOB);
    answer();

    assertThat(classes.of(JOB))
        .isEqualTo(new PodPriorities(Map.of("high", 10, "usual", 5, "other", 7), 5));
  }

  @Test
  void withoutAnAnswerAllPodsAreEquallyImportantUntilThereIsOne() {
    for (RuntimeException one :
        List.of(
            new KubernetesClientException("forbidden", 403, null),
            new KubernetesClientException("away"),
            new IllegalStateException("a mistake"))) {
      refusal = one;
      classes.of(JOB);
      answer();
      assertThat(classes.of(JOB)).as(one.getMessage()).isEqualTo(PodPriorities.EQUAL);
      now = now.plus(PriorityClasses.VALID);
    }
    assertThat(told).containsExactly(JOB);

    refusal = null;
    classes.of(JOB);
    answer();
    assertThat(classes.of(JOB)).isEqualTo(new PodPriorities(Map.of("high", 10), 0));

    refusal = new KubernetesClientException("away");
    now = now.plus(PriorityClasses.VALID);
    classes.of(JOB);
    answer();
    assertThat(classes.of(JOB))
        .as("what was known")
        .isEqualTo(new PodPriorities(Map.of("high", 10), 0));
  }

  @Test
  void aClockThatIsPutBackStopsNothing() {
    classes.of(JOB);
    answer();
    now = now.minus(Duration.ofHours(1));
    classes.of(JOB);
    answer();
    assertThat(lists).isEqualTo(2);
  }
}
