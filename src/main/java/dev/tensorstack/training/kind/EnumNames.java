package dev.tensorstack.training.kind;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Closed sets of words: the API keeps them as strings, so that unknown ones stay readable. */
public final class EnumNames {

  private EnumNames() {}

  /**
   * A list as CEL writes it, so that the CRD can use the same words.
   *
   * @param words any words
   * @return each in double quotes
   */
  public static List<String> quoted(Collection<String> words) {
    return words.stream().map(word -> "\"" + word + "\"").toList();
  }

  /**
   * Whether a word is the name of one of the constants.
   *
   * @param constants all constants of an enum
   * @param word any word
   * @return true when it is spelled exactly like one of them
   */
  public static boolean in(Enum<?>[] constants, String word) {
    return Arrays.stream(constants).anyMatch(constant -> constant.name().equals(word));
  }
}
