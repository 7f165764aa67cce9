package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueMadeEntriesTest {

  private static final KueueQueue QUEUE = new KueueQueue("research", null, true);
  private static final ObjectKind WORKLOAD = QUEUE.kinds().get(0);
  private static final TrainingJob JOB = FreshJob.named("ns", "mnist", "u-1");
  private static final TrainingJob NEXT = FreshJob.named("ns", "mnist", "u-2");

  private final List<ResourceID> told = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile boolean exists;
  private volatile @Nullable KubernetesClientException refusal;

  private final QueueMadeEntries entries =
      new QueueMadeEntries(
          (kind, namespace, label, jobs) -> {
            asked.add(namespace + " " + label + " " + new TreeSet<>(jobs));
            if (jobs.contains("slow")) {
              try {
                released.await();
              } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
              }
            }
            if (refusal != null) {
              throw refusal;
            }
            return exists ? jobs : Set.of();
          },
          Clock.systemUTC(),
          told::add);
  private final QueueMadeEntries.Memory memory = new QueueMadeEntries.Memory();

  private @Nullable Boolean exist(TrainingJob job) {
    return entries.exist(job, WORKLOAD, QUEUE.labels(job.uid()), memory);
  }

  private @Nullable Boolean answer(TrainingJob job) {
    int before = told.size();
    assertThat(exist(job)).as("not known yet").isNull();
    await().until(() -> told.size() > before);
    assertThat(told).containsOnly(new ResourceID("mnist", "ns"));
    return exist(job);
  }

  @Test
  void aJobIsAskedForByItsUidInTheBackgroundAndToldTheAnswer() {
    assertThat(answer(JOB)).isFalse();
    assertThat(asked).containsExactly("ns kueue.x-k8s.io/job-uid [u-1]");
    assertThat(exist(JOB)).isFalse();
    assertThat(asked).as("known for a while").hasSize(1);
  }

  @Test
  void anotherJobOfTheSameNameIsAskedForAnew() {
    exists = true;
    assertThat(answer(JOB)).isTrue();
    exists = false;
    assertThat(exist(JOB)).as("what a queue has made stays its own").isTrue();
    QueueMadeEntries.forget(memory);
    assertThat(answer(JOB)).as("asked anew at each resume").isFalse();
    assertThat(answer(NEXT)).isFalse();
  }

  @Test
  void manyJobsOfANamespaceAreAskedForTogether() {
    TrainingJob slow = FreshJob.named("ns", "slow", "slow");
    assertThat(entries.exist(slow, WORKLOAD, QUEUE.labels(slow.uid()), memory)).isNull();
    await().until(() -> asked.size() == 1);
    for (int number = 0; number < 120; number++) {
      TrainingJob job = FreshJob.named("ns", "job-" + number, "uid-" + number);
      var unused =
          entries.exist(job, WORKLOAD, QUEUE.labels(job.uid()), new QueueMadeEntries.Memory());
    }
    released.countDown();
    await().until(() -> told.size() == 121);
    assertThat(asked).as("the slow one, and 50, 50 and 20").hasSize(4);
  }

  @Test
  void whoMayNotListEntriesLeavesTheJobToItsQueue() {
    refusal = new KubernetesClientException("forbidden", 403, null);
    assertThat(answer(JOB)).isTrue();
  }

  @Test
  void aClusterWithoutTheKindHasNone() {
    refusal = new KubernetesClientException("not found", 404, null);
    assertThat(answer(JOB)).isFalse();
  }

  @Test
  void withoutAnAnswerNothingIsKnownAndItIsAskedAgain() {
    refusal = new KubernetesClientException("away");
    assertThat(exist(JOB)).isNull();
    await().until(() -> !told.isEmpty());
    refusal = null;
    assertThat(exist(JOB)).isNull();
    await().until(() -> Boolean.FALSE.equals(exist(JOB)));
    assertThat(asked).hasSize(2);
  }
}
