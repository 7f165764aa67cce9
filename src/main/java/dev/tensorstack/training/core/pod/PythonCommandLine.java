package dev.tensorstack.training.core.pod;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the script in {@code python [options] script …} and {@code python -m module …}. */
public final class PythonCommandLine {

  private static final Pattern INTERPRETER = Pattern.compile("(.*/)?python[0-9.]*");
  private static final Set<String> LONG_OPTIONS_WITH_VALUE = Set.of("--check-hash-based-pycs");

  /** Module, command, warnings, implementation options: the value is the rest, or the next word. */
  private static final String FLAGS_WITH_VALUE = "mcWX";

  private PythonCommandLine() {}

  /**
   * The script or module of a Python command line.
   *
   * @param command a container's command, or null
   * @return the script and what follows it, or {@code -m}, the module and what follows; empty when
   *     the command is not Python's or names neither
   */
  public static List<String> scriptOf(@Nullable List<String> command) {
    if (command == null || !isPython(command)) {
      return List.of();
    }
    int i = 1;
    while (i < command.size()) {
      String word = command.get(i);
      if (word == null || word.equals("-") || word.isEmpty()) {
        return List.of();
      }
      if (!word.startsWith("-")) {
        return command.subList(i, command.size());
      }
      if (word.startsWith("--")) {
        i += LONG_OPTIONS_WITH_VALUE.contains(word) ? 2 : 1;
        continue;
      }
      int end = endOfFlags(word);
      if (end == word.length()) {
        i++;
        continue;
      }
      boolean valueInside = end + 1 < word.length();
      switch (word.charAt(end)) {
        case 'm' -> {
          return module(command, i, valueInside ? word.substring(end + 1) : null);
        }
        case 'c' -> {
          return List.of();
        }
        default -> i += valueInside ? 1 : 2;
      }
    }
    return List.of();
  }

  /**
   * Whether a command starts the Python interpreter.
   *
   * @param command a container's command
   * @return true for {@code python}, {@code python3.11}, {@code /usr/bin/python3} and the like
   */
  public static boolean isPython(List<String> command) {
    return !command.isEmpty()
        && command.get(0) != null
        && INTERPRETER.matcher(command.get(0)).matches();
  }

  /** The first letter of a cluster like {@code -um} that ends it, because it takes a value. */
  private static int endOfFlags(String word) {
    int end = 1;
    while (end < word.length() && FLAGS_WITH_VALUE.indexOf(word.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private static List<String> module(List<String> command, int at, @Nullable String inside) {
    if (inside == null && at + 1 == command.size()) {
      return List.of();
    }
    List<String> words = new ArrayList<>();
    words.add("-m");
    if (inside != null) {
      words.add(inside);
    }
    words.addAll(command.subList(at + 1, command.size()));
    return words;
  }
}
