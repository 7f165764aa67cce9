package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.plan.Plan;
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

  /** What of a plan matters to a reader. */
  static String words(Plan plan) {
    Ledger ledger = plan.ledger();
    return String.join(
        " ",
        String.valueOf(plan.stage()),
        String.valueOf(plan.actions()),
        String.valueOf(ledger.counts()),
        String.valueOf(ledger.pause()),
        String.valueOf(ledger.mode()),
        String.valueOf(ledger.slots()),
        String.valueOf(ledger.outcome()),
        "wake",
        String.valueOf(plan.requeueAt()));
  }

  /** The last lines. */
  String tail(int most) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - most), lines.size()));
  }
}
