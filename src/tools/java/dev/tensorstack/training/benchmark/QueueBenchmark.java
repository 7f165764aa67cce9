package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Gangs in the queues of a real Kueue, on the nodes of a big cluster: do they run in order, is none
 * half, and what does the operator ask of the API server for each?
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=QueueBenchmark}; {@code
 * docs/operations/benchmark.md} says how to read the result. Exit code: 0 when all jobs ran in
 * order and whole, else 1.
 */
public final class QueueBenchmark {

  private static final int NODES = 500;
  private static final int GPUS_PER_NODE = 8;
  private static final int GANGS = 300;
  private static final int PODS_PER_GANG = 16;

  /** Enough for the API server's watches and for the operator's JVM. */
  private static final int WARM_UP_GANGS = 16;

  private final double size = Double.parseDouble(property("size", "1"));

  /** How long all pods of a job run. */
  private final Duration runs = Duration.ofMillis(number("runs", 10_000));

  /** The time between four jobs, one for each queue, and the next four. */
  private final Duration pace = Duration.ofMillis(number("pace", 1_000));

  private final PrintStream out;

  private QueueBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; system properties say what to do: {@code size} (a factor for nodes and
   *     jobs, to try the benchmark out), {@code runs} and {@code pace} (milliseconds), {@code
   *     operators} ({@code jar} or {@code native}), {@code operator.binary}, {@code
   *     operator.java.options}, {@code directory}
   */
  public static void main(String[] arguments) {
    int code = 1;
    try {
      code = new QueueBenchmark(System.out).run();
    } catch (InterruptedException | IOException | RuntimeException problem) {
      // Threads of the client would keep the JVM.
      problem.printStackTrace();
    }
    System.exit(code);
  }

  private int run() throws IOException, InterruptedException {
    OperatorKind kind = OperatorKind.ofPackaged();
    QueueSize cluster =
        new QueueSize(
            // A cohort has room for one job at least, and lends.
            Math.max((int) Math.round(NODES * size), 3 * PODS_PER_GANG),
            GPUS_PER_NODE,
            Math.max((int) Math.round(GANGS * size), 1),
            PODS_PER_GANG,
            runs,
            pace);
    double load = loadAverage();
    Map<String, Object> conditions = new LinkedHashMap<>();
    QueueOutcome outcome;
    try (QueueScene scene = QueueScene.start(cluster, kind, out)) {
      conditions.put("processors", Runtime.getRuntime().availableProcessors());
      conditions.put("kubernetes", scene.kubernetes());
      conditions.put("operator", kind.title());
      conditions.put("load average at the beginning", load);
      var unused = scene.run("warm-", Math.min(WARM_UP_GANGS, cluster.gangs()));
      outcome = scene.run("gang-", cluster.gangs());
    }
    conditions.put("load average at the end", loadAverage());
    if (size != 1) {
      conditions.put("size", size + " of the real one: no measurement");
    }
    QueueReport report = new QueueReport(cluster, conditions, outcome);
    out.println();
    out.print(report.markdown());
    Path directory = Path.of(property("directory", "target/benchmark"));
    report.write(directory);
    out.println("written: " + directory.resolve("queue.json") + ", queue.md");
    outcome.violations().forEach(out::println);
    return outcome.violations().isEmpty() ? 0 : 1;
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static int number(String name, int otherwise) {
    return Integer.parseInt(property(name, Integer.toString(otherwise)));
  }

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : value;
  }
}
