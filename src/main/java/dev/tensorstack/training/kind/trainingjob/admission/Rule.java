package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;

/** One thing that a job must satisfy. A new rule is a new class, listed in {@link Rules}. */
public interface Rule {

  /**
   * The rule's name, as users see it.
   *
   * @return a word such as {@code job-name}
   */
  String id();

  /**
   * What it refuses, for the reference page.
   *
   * @return a phrase that goes on after "Refuses"
   */
  String refuses();

  /**
   * Looks for violations.
   *
   * @param subject the job to look at
   * @return what is wrong; empty when nothing is
   */
  List<Violation> check(RuleContext subject);
}
