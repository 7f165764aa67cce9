package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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
}
