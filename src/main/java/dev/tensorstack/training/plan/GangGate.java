package dev.tensorstack.training.plan;

import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Companions;
import dev.tensorstack.training.observation.ObjectWrite;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.WriteFailure;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether pods may be created as far as their gang is concerned: the PodGroup comes first, because
 * a scheduler that knows none places pods one by one, or never (docs/concepts.md, Gang scheduling).
 */
final class GangGate {

  /** No watch tells when a kind is installed. */
  static final Duration NEXT_LOOK = Duration.ofSeconds(5);

  /** The PodGroup is there in a moment: nothing worth telling anybody. */
  private static final String ON_ITS_WAY = "";

  private GangGate() {}

  /**
   * Why pods wait.
   *
   * @return a sentence for people, {@link #ON_ITS_WAY}, or null when pods may be created
   */
  static @Nullable String closed(Observation seen) {
    GangScheduler scheduler = seen.job().spec().scheduler();
    List<ObjectKind> kinds = scheduler.kinds();
    if (kinds.isEmpty()) {
      return null;
    }
    Companions companions = seen.companions();
    ObjectKind kind = companions.podGroupKind();
    if (kind == null) {
      return Collections.disjoint(companions.unknown(), kinds) ? missing(scheduler) : ON_ITS_WAY;
    }
    String name = seen.job().names().base();
    GenericKubernetesResource group = companions.find(kind, name);
    if (group == null) {
      WriteFailure refused = seen.refused().get(ObjectWrite.of(kind, name));
      return refused == null ? ON_ITS_WAY : refused.describe() + "; it is tried again";
    }
    // One that somebody deletes under running pods stays as long as they do, and goes on working.
    boolean usable =
        group.getMetadata().getDeletionTimestamp() == null
            || seen.pods().stream().anyMatch(ObservedPod::live);
    return usable ? null : "the earlier PodGroup " + name + " is still being deleted";
  }

  private static String missing(GangScheduler scheduler) {
    List<ObjectKind> kinds = scheduler.kinds();
    return "the cluster does not serve "
        + kinds.get(0)
        + " ("
        + kinds.stream().map(ObjectKind::version).collect(Collectors.joining(", "))
        + "); "
        + scheduler.remedy()
        + ": the job then starts by itself";
  }
}
