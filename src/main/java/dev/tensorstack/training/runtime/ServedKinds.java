package dev.tensorstack.training.runtime;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The kinds of jobs that this operator works on.
 *
 * @param names their names, such as {@code PyTorchJob}; not empty
 */
public record ServedKinds(Set<String> names) {

  /** The operator's own kind. */
  public static final String TRAINING_JOB = "PyTorchTrainingJob";

  /** Kubeflow's kind. */
  public static final String PYTORCH_JOB = "PyTorchJob";

  private static final List<String> KNOWN = List.of(TRAINING_JOB, PYTORCH_JOB);

  /**
   * Reads the setting.
   *
   * @param setting the words of {@code operator.kinds}
   * @return the kinds
   * @throws IllegalArgumentException when a word is unknown, or there is none
   */
  static ServedKinds of(List<String> setting) {
    Set<String> names = new LinkedHashSet<>();
    for (String word : setting) {
      String name = word.strip();
      if (!KNOWN.contains(name)) {
        throw new IllegalArgumentException(
            "operator.kinds names '%s', which is no kind of this operator: write %s, separated by"
                    .formatted(name, String.join(" or ", KNOWN))
                + " commas");
      }
      names.add(name);
    }
    if (names.isEmpty()) {
      throw new IllegalArgumentException(
          "operator.kinds names no kind: write %s, or leave it out for both"
              .formatted(String.join(" or ", KNOWN)));
    }
    return new ServedKinds(names);
  }

  /**
   * Whether jobs of a kind are this operator's.
   *
   * @param name the kind's name
   * @return false when its CRD may be missing
   */
  public boolean includes(String name) {
    return names.contains(name);
  }
}
