package dev.tensorstack.training.resource;

import dev.tensorstack.training.api.v1beta1.Scheduler;
import dev.tensorstack.training.naming.GangSchedulers;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.TrainingJob;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kinds of PodGroup that the operator knows (docs/design/gang.md). */
public final class PodGroupKinds {

  static final ObjectKind T9K = kind(GangSchedulers.T9K_GROUP, "v1beta1");
  static final ObjectKind VOLCANO = kind(GangSchedulers.VOLCANO_GROUP, "v1beta1");
  static final ObjectKind COSCHEDULING = kind(GangSchedulers.COSCHEDULING_GROUP, "v1alpha1");

  /** Kubernetes 1.36; its spec cannot be changed. */
  static final ObjectKind KUBERNETES_1_36 = kind(GangSchedulers.KUBERNETES_GROUP, "v1alpha2");

  private static final List<ObjectKind> KUBERNETES =
      List.of(
          kind(GangSchedulers.KUBERNETES_GROUP, "v1beta1"),
          kind(GangSchedulers.KUBERNETES_GROUP, "v1alpha3"),
          KUBERNETES_1_36);

  private PodGroupKinds() {}

  /**
   * The kinds that a job's scheduler understands.
   *
   * @param job the job
   * @return the kinds, the one to prefer first; empty when the job names no gang scheduler
   */
  public static List<ObjectKind> of(TrainingJob job) {
    @Nullable Scheduler scheduler = job.spec().scheduler();
    if (scheduler == null) {
      return List.of();
    }
    if (scheduler.t9kScheduler() != null) {
      return List.of(T9K);
    }
    if (scheduler.volcano() != null) {
      return List.of(VOLCANO);
    }
    if (scheduler.coscheduling() != null) {
      return List.of(COSCHEDULING);
    }
    return scheduler.kubernetes() != null ? KUBERNETES : List.of();
  }

  /**
   * All kinds that any job may need.
   *
   * @return the kinds; of one API group, the one to prefer first
   */
  public static List<ObjectKind> all() {
    return Stream.concat(Stream.of(T9K, VOLCANO, COSCHEDULING), KUBERNETES.stream()).toList();
  }

  private static ObjectKind kind(String group, String version) {
    return new ObjectKind(group, version, "PodGroup", "podgroups");
  }
}
