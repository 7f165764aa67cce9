package dev.tensorstack.training.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what a page says of a class from the class's Javadoc, so that it stands in one place. */
final class JavadocParagraph {

  private static final Path SOURCES = Path.of("src/main/java");

  /** The Javadoc that stands right before the class. */
  private static final Pattern OF_CLASS =
      Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:public )?final class ", Pattern.DOTALL);

  private static final Pattern VALUE = Pattern.compile("\\{@value (\\w*)#(\\w+)}");

  private JavadocParagraph() {}

  /**
   * A paragraph of a class's Javadoc.
   *
   * @param type a class of the operator
   * @param word what the paragraph begins with, such as {@code Refuses}
   * @return Markdown: what stands after the word and a colon, without the full stop; constants are
   *     replaced by their values
   * @throws IllegalArgumentException when there is no such paragraph; it names the file
   */
  static String of(Class<?> type, String word) {
    Path file = SOURCES.resolve(type.getName().replace('.', '/') + ".java");
    Matcher paragraph =
        Pattern.compile("<p>" + word + ": (.*?)\\.(?: <p>| @param| *$)").matcher(javadoc(file));
    if (!paragraph.find()) {
      throw new IllegalArgumentException(
          file + ": its Javadoc has no paragraph \"<p>" + word + ": …\"; say there what it does");
    }
    return VALUE
        .matcher(paragraph.group(1))
        .replaceAll(constant -> value(type, constant))
        .replaceAll("\\{@code ([^}]*)}", "`$1`");
  }

  private static String javadoc(Path file) {
    try {
      Matcher javadoc = OF_CLASS.matcher(Files.readString(file));
      return javadoc.find()
          ? javadoc.group(1).replaceAll("\\s*\\n \\*", " ").replaceAll("\\s+", " ").trim()
          : "";
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static String value(Class<?> type, MatchResult constant) {
    String owner = constant.group(1);
    try {
      var field =
          (owner.isEmpty() ? type : imported(type, owner)).getDeclaredField(constant.group(2));
      field.setAccessible(true);
      return String.valueOf(field.get(null));
    } catch (ReflectiveOperationException problem) {
      throw new IllegalArgumentException(type + ": " + constant.group(), problem);
    }
  }

  /** A class that is imported there, or stands beside it. */
  private static Class<?> imported(Class<?> type, String name) throws ReflectiveOperationException {
    try {
      String source = Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java"));
      Matcher line = Pattern.compile("import ([\\w.]+\\." + name + ");").matcher(source);
      return Class.forName(line.find() ? line.group(1) : type.getPackageName() + "." + name);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
