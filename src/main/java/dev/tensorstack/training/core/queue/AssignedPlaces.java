package dev.tensorstack.training.core.queue;

import static dev.tensorstack.training.core.queue.UntypedFields.maps;
import static dev.tensorstack.training.core.queue.UntypedFields.number;
import static dev.tensorstack.training.core.queue.UntypedFields.strings;
import static dev.tensorstack.training.core.queue.UntypedFields.text;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where Kueue's topology-aware scheduling wants the pods of a pod set, as labels of nodes. */
final class AssignedPlaces {

  private AssignedPlaces() {}

  /** One place for each pod, from the compressed form of v1beta2 or the lists of v1beta1. */
  static List<Map<String, String>> of(@Nullable Object topology) {
    List<Map<String, String>> places = new ArrayList<>();
    if (!(topology instanceof Map<?, ?> given)) {
      return places;
    }
    List<String> levels = strings(given.get("levels"));
    for (Map<?, ?> domain : maps(given.get("domains"))) {
      List<String> values = strings(domain.get("values"));
      for (int pod = 0; pod < number(domain.get("count"), 0); pod++) {
        Map<String, String> place = new LinkedHashMap<>();
        for (int level = 0; level < Math.min(levels.size(), values.size()); level++) {
          place.put(levels.get(level), values.get(level));
        }
        places.add(place);
      }
    }
    for (Map<?, ?> slice : maps(given.get("slices"))) {
      List<Map<?, ?>> values = maps(slice.get("valuesPerLevel"));
      for (int domain = 0; domain < number(slice.get("domainCount"), 0); domain++) {
        Map<String, String> place = new LinkedHashMap<>();
        for (int level = 0; level < Math.min(levels.size(), values.size()); level++) {
          place.put(levels.get(level), valueOf(values.get(level), domain));
        }
        places.addAll(Collections.nCopies(podsOf(slice.get("podCounts"), domain), place));
      }
    }
    return places;
  }

  private static String valueOf(Map<?, ?> level, int domain) {
    if (level.get("individual") instanceof Map<?, ?> each) {
      List<String> roots = strings(each.get("roots"));
      return text(each.get("prefix"))
          + (domain < roots.size() ? roots.get(domain) : "")
          + text(each.get("suffix"));
    }
    return text(level.get("universal"));
  }

  private static int podsOf(@Nullable Object counts, int domain) {
    if (!(counts instanceof Map<?, ?> given)) {
      return 0;
    }
    return given.get("individual") instanceof List<?> each && domain < each.size()
        ? number(each.get(domain), 0)
        : number(given.get("universal"), 0);
  }
}
