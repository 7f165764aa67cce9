package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.BoundedQuantity;
import dev.tensorstack.training.core.naming.Labels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether an object is as it is wanted. The API server adds defaults, so everything that is wanted
 * has to be there, and there may be more.
 */
final class ObjectDifference {

  private static final String SPEC = "spec";

  private ObjectDifference() {}

  /** Whether the operator's wish has changed since the object was written. */
  static boolean isOtherWish(HasMetadata is, HasMetadata wanted) {
    return !Objects.equals(mark(is), mark(wanted));
  }

  /** Whether somebody, or the API server, has changed what the operator wrote. */
  static boolean isChanged(GenericKubernetesResource is, GenericKubernetesResource wanted) {
    return !holds(
            is.getAdditionalProperties().get(SPEC), wanted.getAdditionalProperties().get(SPEC))
        || !holds(is.getMetadata().getLabels(), wanted.getMetadata().getLabels());
  }

  private static @Nullable String mark(HasMetadata object) {
    Map<String, String> annotations = object.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(Labels.APPLIED);
  }

  private static boolean holds(@Nullable Object is, @Nullable Object wanted) {
    if (wanted instanceof Map<?, ?> map) {
      return is instanceof Map<?, ?> other
          && map.entrySet().stream()
              .allMatch(one -> holds(other.get(one.getKey()), one.getValue()));
    }
    if (wanted instanceof List<?> list) {
      if (!(is instanceof List<?> other) || other.size() != list.size()) {
        return list.isEmpty() && is == null;
      }
      for (int i = 0; i < list.size(); i++) {
        if (!holds(other.get(i), list.get(i))) {
          return false;
        }
      }
      return true;
    }
    return Objects.equals(is, wanted) || isSameNumber(is, wanted);
  }

  /** The API server writes quantities in its own way: {@code 1000m} is {@code 1}. */
  private static boolean isSameNumber(@Nullable Object is, @Nullable Object wanted) {
    BigDecimal a = number(is);
    BigDecimal b = number(wanted);
    return a != null && b != null && a.compareTo(b) == 0;
  }

  private static @Nullable BigDecimal number(@Nullable Object value) {
    if (!(value instanceof Number || value instanceof String)) {
      return null;
    }
    return BoundedQuantity.amount(value.toString());
  }
}
