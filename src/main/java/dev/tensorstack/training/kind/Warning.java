package dev.tensorstack.training.kind;

import java.util.List;

/**
 * One thing that is accepted but may not be what the user wants. A new warning is a new class in
 * the kind's {@code admission} package, listed in its {@code Warnings}. The reference page takes
 * what it warns of from the paragraph of its Javadoc that begins with "Warns of:".
 *
 * @param <S> the Java type of the kind's spec
 */
public interface Warning<S> {

  /**
   * The warning's name, for the reference page.
   *
   * @return a word such as {@code old-spelling}
   */
  String id();

  /**
   * Looks for occasions to warn.
   *
   * @param job the job to look at; any part of its specs may be missing or null
   * @return one line for each, {@code field: what it means and what to do}; empty when there is
   *     nothing to say
   */
  List<String> check(WarningContext<S> job);

  /**
   * Asks several warnings.
   *
   * @param warnings the warnings
   * @param job the job to look at
   * @param <S> the Java type of the kind's spec
   * @return all lines of all warnings, in their order; empty when there is nothing to say
   */
  static <S> List<String> checkAll(List<? extends Warning<S>> warnings, WarningContext<S> job) {
    return warnings.stream().flatMap(warning -> warning.check(job).stream()).toList();
  }
}
