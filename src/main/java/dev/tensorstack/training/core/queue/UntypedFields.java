package dev.tensorstack.training.core.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON that somebody else writes: what is missing or of another type is nothing. */
final class UntypedFields {

  private UntypedFields() {}

  /** The objects of a list; none for what is no list. */
  static List<Map<?, ?>> maps(@Nullable Object value) {
    List<Map<?, ?>> maps = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object one : list) {
        if (one instanceof Map<?, ?> map) {
          maps.add(map);
        }
      }
    }
    return maps;
  }

  /** The fields of an object as texts; none for what is no object. */
  static Map<String, String> texts(@Nullable Object value) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, one) -> texts.put(text(key), text(one)));
    }
    return texts;
  }

  /** The texts of a list; none for what is no list. */
  static List<String> strings(@Nullable Object value) {
    return value instanceof List<?> list
        ? list.stream().map(UntypedFields::text).toList()
        : List.of();
  }

  /** A text; empty for null. */
  static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  /** A number, or another value where there is none. */
  static int number(@Nullable Object value, int otherwise) {
    return value instanceof Number number ? number.intValue() : otherwise;
  }
}
