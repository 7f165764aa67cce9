package dev.tensorstack.training.plan;

import dev.tensorstack.training.naming.GangSchedulers;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.Companions;
import dev.tensorstack.training.observation.ObjectWrite;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.WriteFailure;
import dev.tensorstack.training.resource.PodGroupKinds;
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
    List<ObjectKind> kinds = PodGroupKinds.of(seen.job());
    if (kinds.isEmpty()) {
      return null;
    }
    Companions companions = seen.companions();
    ObjectKind kind = companions.podGroupKind();
    if (kind == null) {
      return Collections.disjoint(companions.unknown(), kinds) ? missing(kinds) : ON_ITS_WAY;
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

  private static String missing(List<ObjectKind> kinds) {
    ObjectKind kind = kinds.get(0);
    String remedy =
        kind.group().equals(GangSchedulers.KUBERNETES_GROUP)
            ? "switch gang scheduling on in Kubernetes (1.36 or newer: feature gate GenericWorkload,"
                + " and the version in --runtime-config of kube-apiserver)"
            : "install the scheduler that spec.scheduler names, with its CRD "
                + kind.plural()
                + "."
                + kind.group();
    return "the cluster does not serve "
        + kind
        + " ("
        + kinds.stream().map(ObjectKind::version).collect(Collectors.joining(", "))
        + "); "
        + remedy
        + ": the job then starts by itself";
  }
}
