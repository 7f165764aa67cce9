package dev.tensorstack.training.kind.trainingjob.admission;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Closed sets of words: the API keeps them as strings, so that unknown ones stay readable. */
final class EnumNames {

  private EnumNames() {}

  /** A list as CEL writes it, so that the CRD can use the same words. */
  static List<String> quoted(Collection<String> words) {
    return words.stream().map(word -> "\"" + word + "\"").toList();
  }

  /** Whether a word is the name of one of the constants. */
  static boolean in(Enum<?>[] constants, String word) {
    return Arrays.stream(constants).anyMatch(constant -> constant.name().equals(word));
  }
}
