package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.admission.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import java.util.ArrayList;
import java.util.List;

/**
 * Violations of a change, without those that the stored job had already: a job that was stored
 * before a rule existed can still be paused, scaled or given a deadline. The API server does the
 * same with its own schema (KEP-4008, CRD validation ratcheting).
 *
 * @param refused what this request would add
 * @param tolerated what was wrong before and still is
 */
record Ratchet(List<Violation> refused, List<Violation> tolerated) {

  /** Checks all rules on a creation or a change. */
  static Ratchet check(RuleContext subject) {
    List<Violation> refused = new ArrayList<>(Rules.check(subject));
    List<Violation> tolerated = new ArrayList<>();
    if (subject.old() != null && !refused.isEmpty()) {
      tolerated.addAll(Rules.check(new RuleContext(subject.name(), subject.old(), null)));
      tolerated.retainAll(refused);
      refused.removeAll(tolerated);
    }
    return new Ratchet(refused, tolerated);
  }
}
