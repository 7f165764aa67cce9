package dev.tensorstack.training.kind.trainingjob.admission;

import java.util.List;

/**
 * One thing that is accepted but may not be what the user wants. A new warning is a new class,
 * listed in {@link Warnings}.
 */
public interface Warning {

  /**
   * The warning's name, for the reference page.
   *
   * @return a word such as {@code old-spelling}
   */
  String id();

  /**
   * What it warns of, for the reference page.
   *
   * @return a phrase that goes on after "Warns of"
   */
  String says();

  /**
   * Looks for occasions to warn.
   *
   * @param job the job to look at; any part of its specs may be missing or null
   * @return one line for each, {@code field: what it means and what to do}; empty when there is
   *     nothing to say
   */
  List<String> check(WarningContext job);
}
