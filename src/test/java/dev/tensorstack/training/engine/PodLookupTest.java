package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.informers.impl.cache.CacheImpl;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PodLookupTest {

  private static final int MISSES = 100;

  private final CacheImpl<Pod> cache = new CacheImpl<>();
  private final JobMemory memory = new JobMemory();
  private final TrainingJob job = new World(World.workers(1, "Never")).job();
  private final PodLookup lookup =
      new PodLookup(
          new PodLookup.Source() {
            @Override
            public Collection<Pod> all(TrainingJob job) {
              return cache.list();
            }

            @Override
            public Collection<Pod> indexed(TrainingJob job) {
              return cache.byIndex("job", job.uid());
            }

            @Override
            public Optional<Pod> named(TrainingJob job, String name) {
              return Optional.ofNullable(cache.getByKey(job.namespace() + "/" + name));
            }
          });

  PodLookupTest() {
    cache.addIndexers(
        Map.of("job", pod -> List.of(pod.getMetadata().getOwnerReferences().get(0).getUid())));
  }

  private Pod pod(String name, String jobUid, String version) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(name)
        .withUid("uid-" + name)
        .withResourceVersion(version)
        .addNewOwnerReference()
        .withApiVersion(HasMetadata.getApiVersion(PyTorchTrainingJob.class))
        .withKind(HasMetadata.getKind(PyTorchTrainingJob.class))
        .withName(job.name())
        .withUid(jobUid)
        .withController(true)
        .endOwnerReference()
        .endMetadata()
        .build();
  }

  /** As a pod of another namespace that carries the job's uid, in owner reference and label. */
  private Pod foreign(String name) {
    return new PodBuilder(pod(name, job.uid(), "1"))
        .editMetadata()
        .withNamespace("foreign")
        .withUid("foreign-" + name)
        .endMetadata()
        .build();
  }

  private Set<String> look() {
    return lookup.podsOf(job, memory).stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  @Test
  void theFirstLookSeesAllPodsOfTheJobAndNoOthers() {
    cache.put(pod("a", job.uid(), "1"));
    cache.put(pod("b", "another", "1"));
    assertThat(look()).containsExactly("a");
  }

  @Test
  void aPodOfAnotherNamespaceIsNotTheJobsWhateverItSaysOfItself() {
    cache.put(foreign("a"));
    cache.put(foreign("b"));
    cache.put(pod("a", job.uid(), "1"));
    for (int look = 0; look < 2; look++) { // without the index, then with it
      assertThat(lookup.podsOf(job, memory))
          .singleElement()
          .extracting(pod -> pod.getMetadata().getUid())
          .isEqualTo("uid-a");
      assertThat(memory.expectations().pods()).hasValue(Set.of("a"));
    }
  }

  @Test
  void whatWasCreatedSinceIsSeenWhetherTheIndexHasItOrNot() {
    look();
    cache.put(pod("a", job.uid(), "1"));
    assertThat(look()).containsExactly("a");
    memory.expectations().created("b", "uid-b");
    assertThat(look()).as("it was created and deleted at once").containsExactly("a");
    cache.put(pod("b", job.uid(), "2"));
    assertThat(look()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void aDeletedPodIsGone() {
    Pod pod = pod("a", job.uid(), "1");
    cache.put(pod);
    assertThat(look()).containsExactly("a");
    cache.remove(pod);
    assertThat(look()).isEmpty();
    assertThat(memory.expectations().pods()).hasValue(Set.of());
  }

  @Test
  void aPodThatIsBeingUpdatedIsNeverTakenForDeleted() throws InterruptedException {
    Pod one = pod("a", job.uid(), "1");
    Pod other = pod("a", job.uid(), "2");
    cache.put(one);
    look();
    AtomicBoolean enough = new AtomicBoolean();
    Thread watch =
        new Thread(
            () -> {
              while (!enough.get()) {
                cache.put(other);
                cache.put(one);
              }
            },
            "watch");
    watch.setDaemon(true);
    watch.start();
    try {
      // Until the index alone would often have been wrong.
      Instant end = Instant.now().plus(Duration.ofSeconds(30));
      for (int misses = 0; misses < MISSES && Instant.now().isBefore(end); ) {
        misses += cache.byIndex("job", job.uid()).isEmpty() ? 1 : 0;
        assertThat(look()).containsExactly("a");
      }
    } finally {
      enough.set(true);
      watch.join();
    }
  }
}
