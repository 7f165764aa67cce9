package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * torchrun gets its bounds when it starts: they stay as they were at creation.
 *
 * <p>Refuses: a change of elastic.enabled, minReplicas or maxReplicas.
 */
final class ElasticBoundsImmutableRule implements Rule<PyTorchTrainingJobSpec> {

  @Override
  public String id() {
    return "elastic-bounds-immutable";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<Violation> violations = new ArrayList<>();
    if (subject.old() == null) {
      return violations;
    }
    Elastic before = subject.old().elastic();
    Elastic after = subject.spec().elastic();
    boolean was = before != null && before.on();
    boolean is = after != null && after.on();
    same(violations, "enabled", was, is);
    // Bounds that come or go together are part of switching it: a job that is not elastic has a
    // block as well, which says how many pods it has.
    if (was == is || (isBounded(before) && isBounded(after))) {
      same(violations, "minReplicas", bound(before, true), bound(after, true));
      same(violations, "maxReplicas", bound(before, false), bound(after, false));
    }
    return violations;
  }

  private static boolean isBounded(@Nullable Elastic elastic) {
    return elastic != null && (elastic.minReplicas() != null || elastic.maxReplicas() != null);
  }

  private static @Nullable Integer bound(@Nullable Elastic elastic, boolean least) {
    if (elastic == null) {
      return null;
    }
    return least ? elastic.minReplicas() : elastic.maxReplicas();
  }

  private void same(
      List<Violation> violations, String field, @Nullable Object before, @Nullable Object after) {
    if (!Objects.equals(before, after)) {
      violations.add(
          new Violation(
              id(),
              "spec.elastic." + field,
              Violation.Reason.FieldValueForbidden,
              "cannot be changed from "
                  + Objects.requireNonNullElse(before, "nothing")
                  + " to "
                  + Objects.requireNonNullElse(after, "nothing")
                  + ": torchrun knows it from the start; create another job"));
    }
  }
}
