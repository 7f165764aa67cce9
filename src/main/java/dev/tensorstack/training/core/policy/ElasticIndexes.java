package dev.tensorstack.training.core.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Which replicas of a type an elastic job keeps, gives up or adds when its number changes
 * (docs/concepts.md, Elastic jobs). Those that work are touched last.
 */
public final class ElasticIndexes {

  private ElasticIndexes() {}

  /** How much would be lost with a replica, the least first. */
  public enum PodReadiness {
    /** Whatever its pod does, its share of the cluster is wanted by others. */
    WITHOUT_SHARE,
    /** It has no pod, or one that has no node or has ended. */
    NOT_SCHEDULED,
    /** Its pod has a node and does not run yet. */
    STARTING,
    /** Its pod runs and is not ready. */
    NOT_READY,
    /** It works. */
    READY
  }

  /**
   * Chooses indexes. Fewer: those without a share go first, then those not scheduled, then those
   * not ready, then the highest; of those not ready, those that do not run yet are the first, since
   * they are in no ring. More: the lowest that are free come.
   *
   * @param count how many there shall be, at least 0
   * @param present the replicas that the type has, by index
   * @param keepsFirst whether index 0 is the master, which is never given up
   * @return {@code count} indexes in ascending order; index 0 among them if it is the master and
   *     {@code count} is positive
   */
  public static List<Integer> choose(
      int count, Map<Integer, PodReadiness> present, boolean keepsFirst) {
    Comparator<Integer> dearest =
        Comparator.comparing((Integer index) -> !(keepsFirst && index == 0))
            .thenComparing(
                index -> present.getOrDefault(index, PodReadiness.NOT_SCHEDULED),
                Comparator.reverseOrder())
            .thenComparing(Comparator.naturalOrder());
    Map<Integer, PodReadiness> all = new HashMap<>(present);
    if (keepsFirst) {
      all.putIfAbsent(0, PodReadiness.NOT_SCHEDULED);
    }
    TreeSet<Integer> chosen =
        new TreeSet<>(all.keySet().stream().sorted(dearest).limit(count).toList());
    for (int index = 0; chosen.size() < count; index++) {
      chosen.add(index);
    }
    return new ArrayList<>(chosen);
  }
}
