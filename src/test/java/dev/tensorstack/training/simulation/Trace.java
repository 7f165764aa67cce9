package dev.tensorstack.training.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What happened, written down only when a history is replayed. */
final class Trace {

  private final boolean on;
  private final List<String> lines = new ArrayList<>();
  private Cluster cluster;

  Trace(boolean on) {
    this.on = on;
  }

  void follow(Cluster followed) {
    cluster = followed;
  }

  void say(Supplier<String> line) {
    if (on) {
      String time =
          cluster == null
              ? "0"
              : Duration.between(JobVersion.CREATED, cluster.now()).toMillis() / 1000.0 + "";
      lines.add(time + "s " + line.get().replaceAll("(, )?\\w+=null", ""));
    }
  }

  /** The last lines. */
  String tail(int most) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - most), lines.size()));
  }
}
