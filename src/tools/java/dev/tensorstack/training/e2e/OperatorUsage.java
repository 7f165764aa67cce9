package dev.tensorstack.training.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;

/** What the operator's pods use, as their kubelets say. */
final class OperatorUsage {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MEBIBYTE = 1 << 20;

  private OperatorUsage() {}

  /**
   * Prints it.
   *
   * @param release the operator
   * @param when what the operator does at the time
   */
  static void report(Release release, String when) {
    String leader = release.leader().map(pod -> pod.getMetadata().getName()).orElse("");
    release.pods().stream()
        .map(pod -> pod.getSpec().getNodeName())
        .distinct()
        .forEach(node -> report(node, leader, when));
  }

  private static void report(String node, String leader, String when) {
    ProgramResult summary =
        Program.kubectl("get", "--raw", "/api/v1/nodes/" + node + "/proxy/stats/summary");
    if (summary.exitCode() != 0) {
      System.out.println("e2e: no figures of node " + node + ": " + summary.stderr());
      return;
    }
    for (JsonNode pod : read(summary.stdout()).path("pods")) {
      if (!pod.at("/podRef/namespace").asText().equals(Release.NAMESPACE)) {
        continue;
      }
      String name = pod.at("/podRef/name").asText();
      JsonNode container = pod.at("/containers/0");
      System.out.printf(
          Locale.ROOT,
          "e2e: %s: %s%s: working set %.0f MiB, RSS %.0f MiB, CPU %.0f m, %.1f CPU seconds in all%n",
          when,
          name,
          name.equals(leader) ? " (leader)" : "",
          container.at("/memory/workingSetBytes").asDouble() / MEBIBYTE,
          container.at("/memory/rssBytes").asDouble() / MEBIBYTE,
          container.at("/cpu/usageNanoCores").asDouble() / 1e6,
          container.at("/cpu/usageCoreNanoSeconds").asDouble() / 1e9);
    }
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
