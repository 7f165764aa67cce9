package dev.tensorstack.training.resource;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the script in {@code python [options] script …} and {@code python -m module …}. */
public final class PythonCommandLine {

  private static final Pattern INTERPRETER = Pattern.compile("(.*/)?python[0-9.]*");
  private static final Set<String> OPTIONS_WITH_VALUE =
      Set.of("-W", "-X", "--check-hash-based-pycs");

  private PythonCommandLine() {}

  /**
   * The script or module of a Python command line.
   *
   * @param command a container's command, or null
   * @return the script and what follows it, or {@code -m}, the module and what follows; empty when
   *     the command is not Python's or names neither
   */
  public static List<String> scriptOf(@Nullable List<String> command) {
    if (command == null || command.isEmpty() || !INTERPRETER.matcher(command.get(0)).matches()) {
      return List.of();
    }
    int i = 1;
    while (i < command.size()) {
      String word = command.get(i);
      if (word.equals("-m")) {
        return i + 1 < command.size() ? command.subList(i, command.size()) : List.of();
      }
      if (word.equals("-c") || word.equals("-")) {
        return List.of();
      }
      if (!word.startsWith("-")) {
        return command.subList(i, command.size());
      }
      i += OPTIONS_WITH_VALUE.contains(word) ? 2 : 1;
    }
    return List.of();
  }
}
