package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds a job's pods in the watch's cache.
 *
 * <p>The index alone would not do: while a pod's update is put into the cache, the pod is not in
 * the index for a moment (fabric8's {@code CacheImpl} takes the old one out before it puts the new
 * one in, and readers do not wait), and it would be taken for deleted. So what is known to exist is
 * looked up by its name as well.
 */
final class PodLookup {

  private final Source source;

  /** The cache. */
  interface Source {
    /** All pods of a job, whatever is going on; slow. */
    Collection<Pod> all(TrainingJob job);

    /** The pods that the index has for a job now, perhaps without those that are being updated. */
    Collection<Pod> indexed(TrainingJob job);

    /** A pod by its name; none when it does not exist. */
    Optional<Pod> named(TrainingJob job, String name);
  }

  PodLookup(Source source) {
    this.source = source;
  }

  /** The pods of a job that exist; the memory knows them from now on. */
  Collection<Pod> podsOf(TrainingJob job, JobMemory memory) {
    Map<String, Pod> byName = new HashMap<>();
    Consumer<Pod> add =
        pod -> {
          if (OwnedBy.isOwnedBy(pod, job)) {
            byName.put(pod.getMetadata().getName(), pod);
          }
        };
    Optional<Set<String>> known = memory.expectations().pods();
    if (known.isEmpty()) {
      source.all(job).forEach(add);
    } else {
      source.indexed(job).forEach(add);
      for (String name : known.get()) {
        if (!byName.containsKey(name)) {
          source.named(job, name).ifPresent(add);
        }
      }
    }
    Set<String> uids = new HashSet<>();
    byName.values().forEach(pod -> uids.add(pod.getMetadata().getUid()));
    memory.expectations().seen(known.orElse(Set.of()), byName.keySet(), uids);
    return byName.values();
  }
}
