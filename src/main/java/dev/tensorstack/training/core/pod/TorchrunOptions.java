package dev.tensorstack.training.core.pod;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * torchrun's long options, as its parser reads them: dashes or underscores, abbreviated as long as
 * the rest is clear, the value behind {@code =} or in the next word (source: {@code torchrun
 * --help} and Python's argparse).
 */
public final class TorchrunOptions {

  private static final List<String> KNOWN =
      List.of(
          "duplicate-stderr-filters",
          "duplicate-stdout-filters",
          "event-log-handler",
          "help",
          "local-addr",
          "local-ranks-filter",
          "log-dir",
          "log-line-prefix-template",
          "logs-specs",
          "master-addr",
          "master-port",
          "max-restarts",
          "module",
          "monitor-interval",
          "nnodes",
          "no-python",
          "node-rank",
          "nproc-per-node",
          "numa-binding",
          "print-completion",
          "rdzv-backend",
          "rdzv-conf",
          "rdzv-endpoint",
          "rdzv-id",
          "redirects",
          "role",
          "run-path",
          "shutdown-timeout",
          "signals-to-handle",
          "standalone",
          "start-method",
          "tee",
          "virtual-local-rank");

  /** Those that take no value. */
  private static final Set<String> FLAGS =
      Set.of("help", "module", "no-python", "run-path", "standalone", "virtual-local-rank");

  private static final Set<String> SHORT_FLAGS = Set.of("-h", "-m");

  private TorchrunOptions() {}

  /**
   * Whether torchrun would take a word for the script: one that is neither an option nor the value
   * of the option before it. An option that is not known is taken to have a value.
   *
   * @param words words that stand before the script; a null among them is passed over
   * @param index the place of the word
   * @return true also for {@code --}, which ends the options
   */
  public static boolean isScript(List<@Nullable String> words, int index) {
    String word = words.get(index);
    if (word == null || (word.startsWith("-") && !word.equals("--"))) {
      return false;
    }
    String before = index == 0 ? null : words.get(index - 1);
    return word.equals("--") || before == null || !takesNextWord(before);
  }

  private static boolean takesNextWord(String option) {
    if (!option.startsWith("--")) {
      // Of -r3 the 3 is the value.
      return option.length() == 2 && option.startsWith("-") && !SHORT_FLAGS.contains(option);
    }
    String name = nameOf(option);
    return !option.contains("=") && !option.equals("--") && (name == null || !FLAGS.contains(name));
  }

  /**
   * Which option a word is.
   *
   * @param word one of the words of a command line
   * @return the option's name with dashes and without the leading ones, or null when the word is
   *     none that torchrun knows, or could be several
   */
  public static @Nullable String nameOf(@Nullable String word) {
    if (word == null || !word.startsWith("--")) {
      return null;
    }
    int equals = word.indexOf('=');
    String name = (equals < 0 ? word.substring(2) : word.substring(2, equals)).replace('_', '-');
    if (name.isEmpty()) {
      return null;
    }
    if (KNOWN.contains(name)) {
      return name;
    }
    List<String> candidates = new ArrayList<>();
    for (String known : KNOWN) {
      if (known.startsWith(name)) {
        candidates.add(known);
      }
    }
    return candidates.size() == 1 ? candidates.get(0) : null;
  }
}
