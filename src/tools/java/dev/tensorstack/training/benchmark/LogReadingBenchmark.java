package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.localnode.LocalNode;
import dev.tensorstack.training.localnode.LocalNodeOptions;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * What it costs to read the logs of many trainings: the same jobs, whose pods write all the time,
 * without a {@code logPattern}, then with one.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=LogReadingBenchmark}. Pods are processes of
 * this machine, on a local node that serves their logs. Exit code: 0 when the status of every job
 * tells steps and none is taken for a hang, else 1.
 */
public final class LogReadingBenchmark {

  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final double NANOS = 1e9;
  private static final double THOUSAND = 1_000;

  /** Of each job, so many lines at a time that no tail is too short for them. */
  private static final int LINES = 100;

  private static final int PAUSE_SECONDS = 5;

  private static final String PATTERN =
      "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2},\\d{3} INFO step (?P<step>\\d{1,9})/\\d+ loss"
          + " (?P<loss>\\S+)";

  private final int jobs = number("jobs", 200);
  private final int seconds = number("steady", 60);
  private final Path file = Path.of("target/benchmark/log-reading.md");
  private final PrintStream out;
  private final StringBuilder table = new StringBuilder();

  /** What has been used until a moment. */
  private record Usage(
      long nanos, double operator, ApiServerUsage apiServer, double readings, double writes) {}

  private LogReadingBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; the system properties {@code jobs}, {@code steady} (seconds of each
   *     measurement), {@code operators} and {@code operator.binary} say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new LogReadingBenchmark(System.out).run() ? 0 : 1);
  }

  private boolean run() throws InterruptedException, IOException {
    OperatorKind kind = OperatorKind.chosen().get(0);
    try (ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start()) {
      KubernetesClient client = controlPlane.client();
      OperatorProcess.installCrds(client);
      Jobs submitted = new Jobs(client, controlPlane.createNamespace("logs"));
      BenchmarkAccount account = BenchmarkAccount.create(controlPlane, "operator");
      try (LocalNode node = LocalNode.start(client, LocalNodeOptions.named("logs"));
          RunningOperator operator =
              RunningOperator.start(kind, account, submitted.namespace(), Map.of())) {
        say(jobs + " jobs on node " + node.name() + ", log of the operator: " + operator.log());
        return measure(Api.ofAdministrator(controlPlane), submitted, operator);
      }
    }
  }

  private boolean measure(Api api, Jobs submitted, RunningOperator operator)
      throws InterruptedException, IOException {
    names().forEach(name -> submitted.create(manifest(name)));
    await("all run", () -> all(submitted, job -> "Running".equals(phase(job))));
    table.append(
        "| %d trainings that write %d lines every %d s | operator, CPU | API server, CPU | API server, KiB allocated per s | readings per s | status writes per s | operator, MiB |%n"
            .formatted(jobs, LINES, PAUSE_SECONDS));
    table.append("|---|---|---|---|---|---|---|\n");
    row("without `logPattern`", api, operator);
    String pattern = PATTERN.replace("\\", "\\\\");
    for (String name : names()) {
      submitted.patch(
          name,
          "{\"spec\":{\"runPolicy\":{\"progress\":{\"logPattern\":\"%s\",\"stallSeconds\":60}}}}"
              .formatted(pattern));
    }
    await("all are read", () -> all(submitted, job -> job.getStatus().training() != null));
    row("with `logPattern` and `stallSeconds`", api, operator);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, table.toString());
    say("\n" + table + "\nwritten: " + file);
    boolean quiet =
        all(
            submitted,
            job ->
                job.getStatus().training() != null
                    && job.getStatus().training().step() != null
                    && job.getStatus().training().problem() == null);
    say(
        quiet
            ? "all tell their step, none is taken for a hang"
            : "PROBLEM: not all tell their step, or one is taken for a hang");
    return quiet;
  }

  private void row(String title, Api api, RunningOperator operator) throws InterruptedException {
    Usage before = usage(api, operator);
    TimeUnit.SECONDS.sleep(seconds);
    Usage after = usage(api, operator);
    double took = (after.nanos - before.nanos) / NANOS;
    ApiServerUsage server = after.apiServer.since(before.apiServer).dividedBy(took);
    String row =
        String.format(
            Locale.ROOT,
            "| %s | %.1f ms per s | %.1f ms per s | %.0f | %.1f | %.1f | %.0f |%n",
            title,
            (after.operator - before.operator) / took * THOUSAND,
            server.cpuSeconds() * THOUSAND,
            server.bytes() / 1024,
            (after.readings - before.readings) / took,
            (after.writes - before.writes) / took,
            operator.usage().memoryMiB());
    table.append(row);
    say(row.strip());
  }

  private static Usage usage(Api api, RunningOperator operator) {
    String metrics = api.get("/metrics").orThrow("the API server's metrics").body();
    return new Usage(
        System.nanoTime(),
        operator.usage().cpuSeconds(),
        ApiServerUsage.parse(metrics),
        requests(metrics, "resource=\"pods\"", "subresource=\"log\""),
        requests(metrics, "resource=\"pytorchtrainingjobs\"", "subresource=\"status\""));
  }

  private static double requests(String metrics, String... labels) {
    Matcher line = Pattern.compile("(?m)^apiserver_request_total\\{(.*)} (\\S+)$").matcher(metrics);
    double sum = 0;
    while (line.find()) {
      String of = line.group(1);
      if (List.of(labels).stream().allMatch(of::contains)) {
        sum += Double.parseDouble(line.group(2));
      }
    }
    return sum;
  }

  private List<String> names() {
    return IntStream.range(0, jobs).mapToObj(number -> "logs-" + number).toList();
  }

  private static String phase(PyTorchTrainingJob job) {
    return job.getStatus() == null ? "" : String.valueOf(job.getStatus().phase());
  }

  private boolean all(Jobs submitted, java.util.function.Predicate<PyTorchTrainingJob> wanted) {
    return names().stream().map(submitted::get).allMatch(wanted);
  }

  private static void await(String what, java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await(what).atMost(START_LIMIT).pollInterval(Duration.ofSeconds(1)).until(condition);
  }

  /**
   * A pod that writes with nothing but the shell's own commands, so as to use little CPU itself.
   */
  private static String manifest(String name) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %s
        spec:
          runPolicy:
            progress: {}
          replicaSpecs:
          - type: worker
            replicas: 1
            restartPolicy: Never
            template:
              spec:
                nodeName: logs
                terminationGracePeriodSeconds: 1
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [sh, -c]
                  args:
                  - |
                    step=0
                    while true; do
                      line=0
                      while [ "$line" -lt %d ]; do
                        line=$((line + 1)); step=$((step + 1))
                        echo "2026-01-01 00:00:00,000 INFO step $step/1000000 loss 0.$step lr 0.0001 grad_norm 1.2345 tokens/s 12345"
                      done
                      sleep %d
                    done
        """
        .formatted(name, LINES, PAUSE_SECONDS);
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  private static int number(String name, int otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : Integer.parseInt(value);
  }
}
