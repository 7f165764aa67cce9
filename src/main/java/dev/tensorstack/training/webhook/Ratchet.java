package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.JobAdmission;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Violations of a change, without those that the stored job had already: a job that was stored
 * before a rule existed can still be paused, scaled or given a deadline. The API server does the
 * same with its own schema (KEP-4008, CRD validation ratcheting).
 *
 * @param refused what this request would add
 * @param tolerated what was wrong before and still is
 */
record Ratchet(List<Violation> refused, List<Violation> tolerated) {

  /** Checks all rules of a kind on a creation or a change. */
  static <S> Ratchet check(
      JobAdmission<?, S> kind, @Nullable String name, S spec, @Nullable S old) {
    List<Violation> refused = new ArrayList<>(kind.violations(name, spec, old));
    List<Violation> tolerated = new ArrayList<>();
    if (old != null && !refused.isEmpty()) {
      tolerated.addAll(kind.violations(name, old, null));
      tolerated.retainAll(refused);
      refused.removeAll(tolerated);
    }
    return new Ratchet(refused, tolerated);
  }
}
