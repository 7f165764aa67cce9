package dev.tensorstack.training.localnode;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for mounting: replaces the paths at which volumes would be mounted by the directories
 * that hold them.
 */
final class MountPaths {
  private static final String BEFORE = "(?:(?<![A-Za-z0-9_./-])|(?<=://))";
  private static final String AFTER = "(?![A-Za-z0-9_.-])";

  private final Map<String, Path> directories = new LinkedHashMap<>();
  private final @Nullable Pattern pattern;

  /**
   * The mounts of one container.
   *
   * @param mounts mount path (absolute) to the file or directory on this machine; a mount at {@code
   *     /} is left out
   */
  MountPaths(Map<String, Path> mounts) {
    mounts.forEach(
        (path, directory) -> {
          String trimmed = path.replaceAll("/+$", "");
          if (!trimmed.isEmpty()) {
            directories.put(trimmed, directory);
          }
        });
    this.pattern =
        directories.isEmpty()
            ? null
            : Pattern.compile(
                directories.keySet().stream()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .map(Pattern::quote)
                    .collect(Collectors.joining("|", BEFORE + "(", ")" + AFTER)));
  }

  /**
   * Replaces mount paths in one text.
   *
   * @param text any text, such as an argument or a shell command
   * @return the text with every mount path, and every path below one, pointing at the real
   *     directory; the longest mount path wins, and what was put in is not looked at again
   */
  String replace(String text) {
    if (pattern == null) {
      return text;
    }
    return pattern
        .matcher(text)
        .replaceAll(
            m -> {
              Path directory = directories.get(m.group(1));
              return Matcher.quoteReplacement(directory == null ? m.group() : directory.toString());
            });
  }
}
