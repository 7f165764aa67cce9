package dev.tensorstack.training.kubectl.terminal;

/** Text in lines that a terminal can show. */
public final class Paragraph {

  private Paragraph() {}

  /**
   * Breaks a text between words.
   *
   * @param text the text, in one line
   * @param width the longest line; a word that is longer has a line of its own
   * @return the text with newlines, without one at its end
   */
  public static String wrap(String text, int width) {
    StringBuilder wrapped = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ")) {
      if (column > 0 && column + 1 + word.length() > width) {
        wrapped.append('\n');
        column = 0;
      }
      if (column > 0) {
        wrapped.append(' ');
        column++;
      }
      wrapped.append(word);
      column += word.length();
    }
    return wrapped.toString();
  }
}
