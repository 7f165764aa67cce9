package dev.tensorstack.training.docs;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A block of code on a page.
 *
 * @param language what stands after the opening fence; empty when nothing does
 * @param text what is in it, without the indentation of the fence; ends with a line break
 * @param line the line of the opening fence, from 1
 * @param marks the HTML comments directly before it, for example {@code test: skip, needs a node}
 */
public record CodeBlock(String language, String text, int line, List<String> marks) {

  private static final String SKIP = "test: skip, ";
  private static final String NEEDS = "test: needs ";
  private static final String FILE = "file: ";

  /** Copies the marks. */
  public CodeBlock {
    marks = List.copyOf(marks);
  }

  /**
   * Why no test runs it.
   *
   * @return the reason, or null when a test may run it
   */
  public @Nullable String skipped() {
    return after(SKIP);
  }

  /**
   * What the cluster has to have for it.
   *
   * @return a name such as {@code Kueue}, or null when any cluster will do
   */
  public @Nullable String needs() {
    return after(NEEDS);
  }

  /**
   * The name under which the reader is told to save it.
   *
   * @return a file name, or null
   */
  public @Nullable String file() {
    return after(FILE);
  }

  /** Whether it shows something that has to be refused. */
  public boolean isInvalid() {
    return marks.contains("test: invalid");
  }

  private @Nullable String after(String beginning) {
    return marks.stream()
        .filter(mark -> mark.startsWith(beginning))
        .map(mark -> Objects.requireNonNull(mark).substring(beginning.length()))
        .findFirst()
        .orElse(null);
  }
}
