package dev.tensorstack.training.admission;

import java.util.Arrays;

/** Closed sets of words: the API keeps them as strings, so that unknown ones stay readable. */
final class Words {

  private Words() {}

  /** Whether a word is the name of one of the constants. */
  static boolean in(Enum<?>[] constants, String word) {
    return Arrays.stream(constants).anyMatch(constant -> constant.name().equals(word));
  }
}
