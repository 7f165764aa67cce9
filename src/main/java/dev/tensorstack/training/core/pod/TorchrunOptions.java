package dev.tensorstack.training.core.pod;

import java.util.ArrayList;
import java.util.List;
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

  private TorchrunOptions() {}

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
