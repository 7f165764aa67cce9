package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExpectationsTest {

  private final Expectations expectations = new Expectations();

  private static PlannedAction.CreatePod creation(String pod, int attempt) {
    return new PlannedAction.CreatePod(
        new ReplicaId("worker", 0), pod, 0, attempt, RunModeKind.TRAIN);
  }

  @Test
  void aCreatedPodIsKnownUntilALookThatExpectsItFindsItGone() {
    assertThat(expectations.pods()).as("before the first look").isEmpty();
    expectations.seen(Set.of(), Set.of(), Set.of());
    expectations.creating(creation("a", 0));
    assertThat(expectations.look()).containsExactly("a");
    expectations.created("a", "1");
    assertThat(expectations.look()).isEmpty();
    assertThat(expectations.pods()).hasValue(Set.of("a"));
    expectations.seen(Set.of(), Set.of(), Set.of());
    assertThat(expectations.pods()).as("it was created during the look").hasValue(Set.of("a"));
    expectations.seen(Set.of("a"), Set.of(), Set.of());
    assertThat(expectations.pods()).hasValue(Set.of());
  }

  @Test
  void aCreationThatWaitsForItsTurnIsNotExpectedAndIsExpectedFromItsBeginning() {
    assertThat(expectations.queued(creation("a", 0))).isTrue();
    assertThat(expectations.look()).isEmpty();
    assertThat(expectations.isCreating()).isTrue();
    expectations.cancelled("a");
    assertThat(expectations.isCreating()).isFalse();

    assertThat(expectations.queued(creation("a", 1))).isTrue();
    expectations.creating(creation("a", 1));
    assertThat(expectations.look()).containsExactly("a");
  }

  @Test
  void whatBeganSinceTheLookIsNotQueuedAgainThoughItIsAnswered() {
    expectations.look();
    expectations.creating(creation("a", 0));
    assertThat(expectations.begun()).containsExactly(creation("a", 0));
    expectations.created("a", "1");
    assertThat(expectations.queued(creation("a", 0))).isFalse();
    expectations.look();
    assertThat(expectations.begun()).isEmpty();
    assertThat(expectations.queued(creation("a", 0))).isTrue();
  }

  @Test
  void aDeletionIsSentOnceAndForgottenWhenThePodIsGone() {
    assertThat(expectations.deleting("uid-a", "a", false)).isTrue();
    assertThat(expectations.deleting("uid-a", "a", false)).isFalse();
    expectations.seen(Set.of(), Set.of("a"), Set.of("uid-a"));
    assertThat(expectations.isDeleting("uid-a")).isTrue();
    expectations.seen(Set.of("a"), Set.of(), Set.of());
    assertThat(expectations.isDeleting("uid-a")).isFalse();
  }

  @Test
  void aPodIsExpectedByItsUidForItsNameMayBeThatOfThePodBefore() {
    expectations.seen(Set.of(), Set.of("a"), Set.of("1"));
    assertThat(expectations.isExpected("a", "2")).as("replaced by an earlier operator").isFalse();

    expectations.created("a", "3");
    assertThat(expectations.isExpected("a", "3")).isTrue();
    assertThat(expectations.isExpected("a", "2")).isFalse();
    expectations.seen(Set.of("a"), Set.of("a"), Set.of("3"));
    assertThat(expectations.isExpected("a", "3")).as("the watch has shown it").isFalse();
  }
}
