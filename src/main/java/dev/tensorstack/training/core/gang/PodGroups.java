package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the PodGroups of several schedulers have in common. */
public final class PodGroups {

  private PodGroups() {}

  /**
   * All kinds of PodGroup that any job may need.
   *
   * @return the kinds; of one API group, the one to prefer first
   */
  public static List<ObjectKind> allKinds() {
    return Stream.concat(
            Stream.of(T9kGang.POD_GROUP, VolcanoGang.POD_GROUP, CoschedulingGang.POD_GROUP),
            KubernetesGang.POD_GROUPS.stream())
        .toList();
  }

  static ObjectKind kind(String group, String version) {
    return new ObjectKind(group, version, "PodGroup", "podgroups");
  }

  /** What to do when the cluster does not serve a kind. */
  static String install(ObjectKind kind) {
    return "install the scheduler that spec.scheduler names, with its CRD "
        + kind.plural()
        + "."
        + kind.group();
  }

  /** Refuses a kind that a scheduler does not know. */
  static void require(GangScheduler scheduler, ObjectKind kind) {
    if (!scheduler.kinds().contains(kind)) {
      throw new IllegalArgumentException(scheduler + " knows no " + kind);
    }
  }

  /** The size of a group that does not count pods that succeeded. */
  static int withoutFinished(GangMembers members) {
    return Math.max(1, Math.min(members.least(), members.unfinished()));
  }

  static void putIfGiven(Map<String, Object> spec, String field, @Nullable Object value) {
    if (value != null && !value.equals("")) {
      spec.put(field, value);
    }
  }

  /** What the first pods need: without it, schedulers take the gang for one that fits anywhere. */
  static void putResources(Map<String, Object> spec, List<GangMembers.Pods> gang, int size) {
    List<GangMembers.Pods> first = new ArrayList<>();
    int left = size;
    for (GangMembers.Pods pods : gang) {
      int count = Math.min(left, pods.count());
      first.add(new GangMembers.Pods(pods.spec(), count, 0));
      left -= count;
    }
    Map<String, Object> resources = MinResources.of(first);
    if (!resources.isEmpty()) {
      spec.put("minResources", resources);
    }
  }
}
