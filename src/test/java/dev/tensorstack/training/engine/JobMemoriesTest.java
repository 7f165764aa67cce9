package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.plan.PlannedAction;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class JobMemoriesTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final JobMemories memories = new JobMemories(now::get);

  private static ObjectMeta job(String name) {
    return new ObjectMetaBuilder().withNamespace("ns").withName(name).withUid(name).build();
  }

  private JobMemory look(String name, String... present) {
    Set<String> names = Set.of(present);
    return memories.of(job(name), key -> names.contains(key.name()));
  }

  @Test
  void aJobIsRememberedAsLongAsItExists() {
    JobMemory memory = look("a", "a");
    now.addAndGet(Duration.ofMinutes(5).toNanos());
    look("b", "a", "b");
    assertThat(look("a", "a", "b")).isSameAs(memory);
  }

  /** Its pods were in there. */
  @Test
  void aJobThatIsGoneIsForgottenWithinAMinuteOfOtherWork() {
    look("a", "a");
    look("b", "b");
    assertThat(memories.size()).isEqualTo(2);
    now.addAndGet(Duration.ofMinutes(1).toNanos());
    look("b", "b");
    assertThat(memories.size()).isEqualTo(1);
  }

  private static Service service(String job, boolean controls) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withNamespace("ns")
        .withName("a-worker-0")
        .addNewOwnerReference()
        .withName(job)
        .withUid(job)
        .withController(controls)
        .endOwnerReference()
        .endMetadata()
        .build();
  }

  @Test
  void aServiceThatIsRemovedBeforeAnyLookHasSeenItIsNotWaitedFor() {
    PlannedAction.CreateService creation =
        new PlannedAction.CreateService("a-worker-0", new ReplicaId("worker", 0));
    Expectations expectations = look("a", "a").expectations();
    expectations.creating(creation);
    expectations.answered(creation, true);
    assertThat(expectations.servicesSeen(Set.of())).containsExactly("a-worker-0");
    memories.serviceRemoved(service("a", false));
    memories.serviceRemoved(service("b", true));
    assertThat(expectations.servicesSeen(Set.of())).as("another's").containsExactly("a-worker-0");
    memories.serviceRemoved(service("a", true));
    assertThat(expectations.servicesSeen(Set.of())).isEmpty();
  }

  @Test
  void aServiceThatIsRemovedBeforeItsCreationIsAnsweredIsNotWaitedFor() {
    PlannedAction.CreateService creation =
        new PlannedAction.CreateService("a-worker-0", new ReplicaId("worker", 0));
    Expectations expectations = look("a", "a").expectations();
    expectations.creating(creation);
    memories.serviceRemoved(service("a", true));
    assertThat(expectations.servicesSeen(Set.of())).containsExactly("a-worker-0");
    expectations.answered(creation, true);
    assertThat(expectations.servicesSeen(Set.of())).isEmpty();
    expectations.creating(creation);
    expectations.answered(creation, true);
    assertThat(expectations.servicesSeen(Set.of())).as("the next").containsExactly("a-worker-0");
  }
}
