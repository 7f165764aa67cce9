package dev.tensorstack.training.kind;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;

/**
 * One thing that a job of a kind must satisfy. A new rule is a new class in the kind's {@code
 * admission} package, listed in its {@code Rules}. The reference page takes what the rule refuses
 * from the paragraph of its Javadoc that begins with "Refuses:".
 *
 * @param <S> the Java type of the kind's spec
 */
public interface Rule<S> {

  /**
   * The rule's name, as users see it.
   *
   * @return a word such as {@code job-name}
   */
  String id();

  /**
   * Looks for violations.
   *
   * @param subject the job to look at
   * @return what is wrong; empty when nothing is
   */
  List<Violation> check(RuleContext<S> subject);

  /**
   * Checks several rules.
   *
   * @param rules the rules
   * @param subject the job to look at
   * @param <S> the Java type of the kind's spec
   * @return every violation of every rule, in their order; empty when the job can work
   */
  static <S> List<Violation> checkAll(List<? extends Rule<S>> rules, RuleContext<S> subject) {
    return rules.stream().flatMap(rule -> rule.check(subject).stream()).toList();
  }
}
