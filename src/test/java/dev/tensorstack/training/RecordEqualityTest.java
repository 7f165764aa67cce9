package dev.tensorstack.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Records whose {@code equals} is written out are equal when, and only when, all components are.
 */
class RecordEqualityTest {

  static Stream<Class<?>> records() {
    return ArchitectureTest.OPERATOR.stream()
        .filter(ArchitectureTest.COMPARED_RECORDS)
        .map(JavaClass::reflect);
  }

  @ParameterizedTest
  @MethodSource("records")
  void recordsAreEqualWhenAllComponentsAre(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Constructor<?> constructor = canonical(type);
    Object one = constructor.newInstance(values(components, -1));
    Object same = constructor.newInstance(values(components, -1));

    assertThat(one.equals(same)).as("%s and the same again", one).isTrue();
    assertThat(one.hashCode()).isEqualTo(same.hashCode());
    assertThat(one.equals(null)).isFalse();
    assertThat(one.equals("another type")).isFalse();
    for (int i = 0; i < components.length; i++) {
      Object other = constructor.newInstance(values(components, i));
      assertThat(one.equals(other)).as("with another %s", components[i].getName()).isFalse();
      assertThat(other.equals(one)).as("with another %s", components[i].getName()).isFalse();
    }
  }

  private static Constructor<?> canonical(Class<?> type) throws ReflectiveOperationException {
    Constructor<?> constructor =
        type.getDeclaredConstructor(
            Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new));
    constructor.setAccessible(true);
    return constructor;
  }

  /** The values of all components; the one at this index is another than usual. */
  private static @Nullable Object[] values(RecordComponent[] components, int other)
      throws ReflectiveOperationException {
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = value(components[i].getType(), components[i].getName(), i == other);
    }
    return values;
  }

  /** A value that no other component has; where there is but one, none is the other. */
  private static @Nullable Object value(Class<?> type, String name, boolean other)
      throws ReflectiveOperationException {
    String word = other ? name + "-other" : name;
    if (type == String.class || type == Object.class) {
      return word;
    } else if (type == int.class || type == Integer.class) {
      return word.hashCode();
    } else if (type == long.class || type == Long.class) {
      return (long) word.hashCode();
    } else if (type == boolean.class || type == Boolean.class) {
      return other;
    } else if (type == Instant.class) {
      return Instant.ofEpochSecond(word.hashCode());
    } else if (type == List.class) {
      return other ? List.of() : List.of(name);
    } else if (type == Map.class) {
      return other ? Map.of() : Map.of(name, name);
    } else if (type == Set.class) {
      return other ? Set.of() : Set.of(name);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[other ? 1 : 0];
    } else if (other) {
      return null;
    } else if (type.isRecord()) {
      return canonical(type).newInstance(values(type.getRecordComponents(), -1));
    }
    return type.getDeclaredConstructor().newInstance();
  }
}
