package dev.tensorstack.training.admission;

import dev.tensorstack.training.policy.AcceleratorResources;
import java.util.ArrayList;
import java.util.List;

/** All warnings, in the order in which they are given. Warnings never refuse a job. */
public final class Warnings {

  private final List<Warning> all;

  /**
   * The warnings.
   *
   * @param accelerators what counts as an accelerator
   */
  public Warnings(AcceleratorResources accelerators) {
    all = List.of();
  }

  /**
   * What to tell the user of a job.
   *
   * @param given the job
   * @return one-line texts, each with a field and what to do; few and short enough for an answer of
   *     the API server; empty when there is nothing to say
   */
  public List<String> of(GivenJob given) {
    List<String> texts = new ArrayList<>();
    for (Warning warning : all) {
      texts.addAll(warning.check(given));
    }
    return texts;
  }
}
