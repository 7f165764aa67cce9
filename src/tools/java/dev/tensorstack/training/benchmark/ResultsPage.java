package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of the documentation with a place for results, between two comments. */
final class ResultsPage {

  private static final String BEGIN = "<!-- results: begin -->\n";
  private static final String END = "<!-- results: end -->\n";

  private ResultsPage() {}

  /**
   * Puts results into a page in place of those of before.
   *
   * @throws IllegalArgumentException when the page has no place for them
   */
  static void update(Path page, String results) throws IOException {
    Files.writeString(page, with(Files.readString(page), results));
  }

  /** The text of a page with other results. */
  static String with(String page, String results) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException(
          "the page has no place for results: " + BEGIN + "… " + END);
    }
    return page.substring(0, begin + BEGIN.length()) + results + page.substring(end);
  }
}
