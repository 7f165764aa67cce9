package dev.tensorstack.training.runtime;

import org.jspecify.annotations.Nullable;

/**
 * One copy of texts that many pods have in common. It has a fixed size: of two texts that fall on
 * one place the later one stays. {@link String#intern} would keep each text for good in a native
 * image, where nothing is ever taken out again.
 *
 * <p>Threads may see different copies, which costs memory and nothing else: texts never change.
 */
final class SharedTexts {

  private static final int PLACES = 1 << 13;

  private final String[] texts = new String[PLACES];

  /**
   * A text that is equal.
   *
   * @param text a text, or null
   * @return an equal one that others have as well, where one is known; null for null
   */
  @Nullable String of(@Nullable String text) {
    if (text == null) {
      return null;
    }
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    String known = texts[place];
    if (text.equals(known)) {
      return known;
    }
    texts[place] = text;
    return text;
  }
}
