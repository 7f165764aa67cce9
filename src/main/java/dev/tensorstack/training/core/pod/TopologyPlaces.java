package dev.tensorstack.training.core.pod;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which of the places that a queue has chosen each pod gets: the replicas in their order the places
 * in theirs, so that neighbouring ranks are near each other. Where the queue has exchanged a place,
 * because its node is lost, all places behind it may have moved up; pods that run stay where they
 * are, and a new one must get a place that none of them is in, as Kueue's own topology ungater does
 * it (pkg/controller/tas/topology_ungater.go).
 */
final class TopologyPlaces {

  private TopologyPlaces() {}

  /**
   * The place of one replica's next pod.
   *
   * @param replica its position among the replicas, from 0
   * @param replicas how many share the places
   * @param places labels of nodes, one for each pod
   * @param live by position, the node selectors of the pods that run or are to; that of the replica
   *     itself does not matter
   * @return labels of the nodes that it is to run on; empty when there is no place for it
   */
  static Map<String, String> placeOf(
      int replica,
      int replicas,
      List<Map<String, String>> places,
      Map<Integer, Map<String, String>> live) {
    Map<Integer, Integer> taken = new LinkedHashMap<>();
    List<Integer> moved = new ArrayList<>();
    for (int other = 0; other < replicas; other++) {
      Map<String, String> selector = other == replica ? null : live.get(other);
      if (selector != null && isIn(selector, places, other)) {
        taken.put(other, other);
      } else if (selector != null) {
        moved.add(other);
      }
    }
    for (int other : moved) {
      Integer place = firstFree(places, taken.keySet(), live.get(other));
      if (place != null) {
        taken.put(place, other);
      }
    }
    List<Integer> late = new ArrayList<>();
    for (int open = 0; open < replicas; open++) {
      if (open != replica && live.containsKey(open)) {
        continue;
      }
      if (open < places.size() && !taken.containsKey(open)) {
        taken.put(open, open);
      } else {
        late.add(open);
      }
    }
    for (int open : late) {
      Integer place = firstFree(places, taken.keySet(), null);
      if (place != null) {
        taken.put(place, open);
      }
    }
    return taken.entrySet().stream()
        .filter(entry -> entry.getValue() == replica)
        .map(entry -> places.get(entry.getKey()))
        .findFirst()
        // All are taken: by what has not ended yet, and will have.
        .orElse(replica < places.size() ? places.get(replica) : Map.of());
  }

  private static boolean isIn(
      Map<String, String> selector, List<Map<String, String>> places, int place) {
    return place < places.size() && selector.entrySet().containsAll(places.get(place).entrySet());
  }

  private static @Nullable Integer firstFree(
      List<Map<String, String>> places,
      Set<Integer> taken,
      @Nullable Map<String, String> selector) {
    for (int place = 0; place < places.size(); place++) {
      if (!taken.contains(place) && (selector == null || isIn(selector, places, place))) {
        return place;
      }
    }
    return null;
  }
}
