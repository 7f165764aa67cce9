package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.WriteFailure;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether pods may be created as far as their queue and their gang are concerned: the PodGroup
 * comes first, because a scheduler that knows none places pods one by one, or never
 * (docs/concepts.md, Gang scheduling).
 */
public sealed interface GangGate {

  /** No watch tells when a kind is installed. */
  Duration NEXT_LOOK = Duration.ofSeconds(5);

  /** Pods may be created. */
  GangGate OPEN = new Open();

  /** Pods may be created: their PodGroup is there, or they need none. */
  record Open() implements GangGate {}

  /** The PodGroup is there in a moment: nothing worth telling anybody. */
  record Opening() implements GangGate {}

  /**
   * The job waits for its queue.
   *
   * @param why a sentence for people
   */
  record Queued(String why) implements GangGate {}

  /**
   * The PodGroup cannot be created for now.
   *
   * @param why a sentence for people
   */
  record Closed(String why) implements GangGate {}

  /**
   * Whether the pods of a job may be created.
   *
   * @param seen the job's world
   * @return open, opening or closed
   */
  static GangGate of(Observation seen) {
    GangScheduler scheduler = seen.job().spec().scheduler();
    List<ObjectKind> kinds = scheduler.kinds();
    if (kinds.isEmpty()) {
      return OPEN;
    }
    ObservedDependents dependents = seen.dependents();
    ObjectKind kind = dependents.podGroupKind();
    if (kind == null) {
      return Collections.disjoint(dependents.unknown(), kinds)
          ? new Closed(missing(scheduler))
          : new Opening();
    }
    String name = seen.job().names().podGroup();
    GenericKubernetesResource group = dependents.find(kind, name);
    if (group == null) {
      WriteFailure refused = seen.refused().get(ObjectWrite.of(kind, name));
      return refused == null
          ? new Opening()
          : new Closed(refused.describe() + "; it is tried again");
    }
    // One that somebody deletes under running pods stays as long as they do, and goes on working.
    boolean usable =
        group.getMetadata().getDeletionTimestamp() == null
            || seen.pods().stream().anyMatch(ObservedPod::live);
    if (!usable) {
      return new Closed("the earlier PodGroup " + name + " is still being deleted");
    }
    String why = scheduler.holdsBack(group);
    if (why == null) {
      return OPEN;
    }
    String hindrance = scheduler.hindrance(group, dependents.gangFacts());
    return new Closed(hindrance == null ? why : hindrance);
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
