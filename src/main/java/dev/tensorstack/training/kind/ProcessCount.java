package dev.tensorstack.training.kind;

import java.util.Set;

/** The values of torchrun's {@code --nproc_per_node} that jobs may give. */
public final class ProcessCount {

  private static final Set<String> WORDS = Set.of("auto", "cpu", "gpu");

  private ProcessCount() {}

  /**
   * Whether a value is one of them.
   *
   * @param value any text
   * @return true for a positive number of at most six digits and for auto, cpu and gpu
   */
  public static boolean isKnown(String value) {
    return WORDS.contains(value) || value.matches("0*[1-9][0-9]{0,5}");
  }

  /**
   * What is said of another value.
   *
   * @param value the value
   * @return words that go on after the field
   */
  public static String unknown(String value) {
    return "\"" + value + "\" is none of: a positive number, auto, cpu, gpu";
  }
}
