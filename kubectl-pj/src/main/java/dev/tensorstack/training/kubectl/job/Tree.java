package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A value of JSON or YAML, such as an object of the API, whose fields are read by their path. What
 * is absent, null or of another type reads as absent: objects may come from other operators, or
 * newer ones. Immutable as long as nobody changes the value that it was made of.
 */
public final class Tree {

  private static final Tree ABSENT = new Tree(null);

  private final @Nullable Object value;

  private Tree(@Nullable Object value) {
    this.value = value;
  }

  /**
   * A tree over a value.
   *
   * @param value maps, lists, strings, numbers and booleans, as a JSON parser returns them; null
   *     for the absent value
   * @return the tree
   */
  public static Tree of(@Nullable Object value) {
    return value == null ? ABSENT : new Tree(value);
  }

  /**
   * The value itself.
   *
   * @return what the tree was made of; null when absent
   */
  public @Nullable Object value() {
    return value;
  }

  /**
   * Whether there is a value.
   *
   * @return false when it is absent or null
   */
  public boolean isPresent() {
    return value != null;
  }

  /**
   * The value of a field.
   *
   * @param path the names of nested fields
   * @return the value, absent when a field of the path is
   */
  public Tree at(String... path) {
    Object here = value;
    for (String field : path) {
      here = here instanceof Map<?, ?> map ? map.get(field) : null;
    }
    return of(here);
  }

  /**
   * The elements of a list.
   *
   * @param path the names of nested fields; none for this value itself
   * @return the elements in their order; empty when it is no list
   */
  public List<Tree> items(String... path) {
    return at(path).value instanceof List<?> list
        ? list.stream().map(Tree::of).toList()
        : List.of();
  }

  /**
   * The fields of a map.
   *
   * @param path the names of nested fields; none for this value itself
   * @return the fields in their order; empty when it is no map
   */
  public Map<String, Tree> fields(String... path) {
    Map<String, Tree> fields = new LinkedHashMap<>();
    if (at(path).value instanceof Map<?, ?> map) {
      map.forEach((name, field) -> fields.put(String.valueOf(name), of(field)));
    }
    return fields;
  }

  /**
   * A string, or a number or boolean as text.
   *
   * @param path the names of nested fields; none for this value itself
   * @return the text; null when absent, empty, a list or a map
   */
  public @Nullable String text(String... path) {
    Object found = at(path).value;
    if (found == null || found instanceof Map || found instanceof List) {
      return null;
    }
    String text = found.toString();
    return text.isEmpty() ? null : text;
  }

  /**
   * A whole number, also one that is written as a string.
   *
   * @param path the names of nested fields; none for this value itself
   * @return the number; null when there is none
   */
  public @Nullable Integer number(String... path) {
    Object found = at(path).value;
    if (found instanceof Number number) {
      return number.intValue();
    }
    return found instanceof String text && text.matches("-?\\d{1,9}")
        ? Integer.valueOf(text)
        : null;
  }

  /**
   * A whole number, or zero.
   *
   * @param path the names of nested fields
   * @return the number; 0 when there is none
   */
  public int count(String... path) {
    return Objects.requireNonNullElse(number(path), 0);
  }

  /**
   * A switch.
   *
   * @param path the names of nested fields
   * @return true only when it is {@code true}
   */
  public boolean flag(String... path) {
    return Boolean.TRUE.equals(at(path).value);
  }

  /**
   * A moment.
   *
   * @param path the names of nested fields
   * @return the moment; null when it is absent or not in RFC 3339
   */
  public @Nullable Instant time(String... path) {
    String text = text(path);
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException notATime) {
      return null;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Tree that && Objects.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return String.valueOf(value);
  }
}
