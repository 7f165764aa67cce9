package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A great many jobs, one after another, through one operator: what grows with the jobs that were,
 * and not with those that are, is a leak.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=Soak -Djobs=20000}. Exit code: 0 when memory,
 * threads, sockets and series of metrics do not grow, and nothing of the jobs is left, else 1.
 */
public final class Soak {

  private static final int SAMPLES = 40;
  private static final int PODS = 2;

  /** So many pods for each job that is there at once; more would only fill the API server. */
  private static final int UNCOLLECTED = 6;

  private static final double KIB = 1_024;
  private static final int THOUSAND = 1_000;
  private static final double NANOS = 1e9;

  /** 100 bytes a job: less than a job's name and uid in one map. */
  private static final double MOST_HEAP_KIB = 100;

  /** The heap is not all; its free room moves the rest up and down. */
  private static final double MOST_MEMORY_KIB = 1_024;

  private static final double MOST_THREADS = 10;
  private static final double MOST_SOCKETS = 10;
  private static final double MOST_SERIES = 20;
  private static final Duration STUCK = Duration.ofMinutes(3);
  private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

  private final int jobs = number("jobs", 20_000);
  private final int atOnce = number("parallel", 100);
  private final Path directory = Path.of("target/benchmark");
  private final PrintStream out;
  private final List<Sample> samples = new ArrayList<>();

  /**
   * A look at the operator.
   *
   * @param jobs how many have come and gone
   * @param seconds since the begin
   * @param memoryMiB resident memory
   * @param heapMiB used heap after a collection; 0 for the native binary
   * @param threads how many
   * @param sockets how many are open
   * @param series how many metrics it tells
   */
  private record Sample(
      int jobs,
      double seconds,
      double memoryMiB,
      double heapMiB,
      int threads,
      int sockets,
      int series) {}

  private Soak(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs it and ends the JVM.
   *
   * @param arguments none; the system properties {@code jobs}, {@code parallel} (jobs that are
   *     there at the same time) and {@code operator.binary} say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new Soak(System.out).run());
  }

  private int run() throws InterruptedException, IOException {
    List<OperatorKind> kinds = OperatorKind.chosen();
    OperatorKind kind = kinds.get(kinds.size() - 1);
    List<String> problems = new ArrayList<>();
    try (ControlPlane controlPlane =
        ControlPlane.builder()
            .scheduler(false)
            .apiServerArguments("--event-ttl=1m")
            .withoutControllers("node-lifecycle-controller", "taint-eviction-controller")
            .start()) {
      KubernetesClient client = controlPlane.client();
      OperatorProcess.installCrds(client);
      ScaleScene.addNode(client, SwiftKubelet.NODE);
      Api api = Api.ofAdministrator(controlPlane);
      String namespace = controlPlane.createNamespace("soak");
      BenchmarkAccount account = BenchmarkAccount.create(controlPlane, "operator");
      try (JobDesk desk = new JobDesk(api);
          SwiftKubelet kubelet =
              SwiftKubelet.start(
                  api, pod -> SwiftKubelet.Course.SUCCEED_AT_ONCE, SwiftKubelet.Listener.NONE);
          RunningOperator operator = RunningOperator.start(kind, account, namespace, Map.of())) {
        say(kind.title() + ", " + jobs + " jobs, log of the operator: " + operator.process().log());
        churn(operator, desk, kubelet, namespace);
        problems.addAll(leftovers(operator, client, namespace));
      }
    }
    problems.addAll(growth());
    write(kind);
    problems.forEach(problem -> say("PROBLEM: " + problem));
    say(problems.isEmpty() ? "nothing grows" : problems.size() + " problems");
    return problems.isEmpty() ? 0 : 1;
  }

  /** Keeps so many jobs alive until all have come and gone; the operator deletes them itself. */
  private void churn(RunningOperator operator, JobDesk desk, SwiftKubelet kubelet, String namespace)
      throws InterruptedException, IOException {
    long begin = System.nanoTime();
    List<JobLife> present = new ArrayList<>();
    int submitted = 0;
    int gone = 0;
    int nextSample = 0;
    long lastProgress = System.nanoTime();
    while (gone < jobs) {
      int before = present.size();
      present.removeIf(job -> job.gone != 0);
      gone += before - present.size();
      if (before != present.size()) {
        lastProgress = System.nanoTime();
        desk.forget(namespace);
        kubelet.forget(namespace);
      } else if (System.nanoTime() - lastProgress > STUCK.toNanos()) {
        throw new IllegalStateException(
            present.size() + " jobs do not go; log of the operator: " + operator.process().log());
      }
      if (gone >= nextSample) {
        sample(operator, gone, (System.nanoTime() - begin) / NANOS);
        nextSample += Math.max(1, jobs / SAMPLES);
      }
      // Pods are deleted by the garbage collector, at its own pace; until then everybody knows
      // them.
      boolean collected = kubelet.count(namespace, pod -> pod.gone == 0) < UNCOLLECTED * atOnce;
      int room = collected ? Math.min(jobs - submitted, atOnce - present.size()) : 0;
      if (room > 0) {
        Map<String, String> manifests = new LinkedHashMap<>();
        for (int i = 0; i < room; i++) {
          String name = "soak-" + submitted++;
          manifests.put(
              name,
              JobResource.PYTORCH_TRAINING_JOB.manifest(
                  name, PODS, "OnFailure", "\"runPolicy\":{\"ttlSecondsAfterFinished\":0},"));
        }
        present.addAll(desk.submit(namespace, manifests));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    sample(operator, gone, (System.nanoTime() - begin) / NANOS);
    say(
        String.format(
            Locale.ROOT, "%.1f jobs per second", jobs / ((System.nanoTime() - begin) / NANOS)));
  }

  private void sample(RunningOperator operator, int gone, double seconds)
      throws InterruptedException, IOException {
    double heap = operator.kind() == OperatorKind.JAR ? heapAfterCollection(operator) : 0;
    String metrics = operator.process().get("/q/metrics").body();
    Sample sample =
        new Sample(
            gone,
            seconds,
            operator.usage().memoryMiB(),
            heap,
            operator.usage().threads(),
            operator.usage().sockets(),
            (int) metrics.lines().filter(line -> !line.startsWith("#")).count());
    samples.add(sample);
    say(
        String.format(
            Locale.ROOT,
            "%6d jobs, %6.0f s: %4.0f MiB resident, %5.1f MiB heap, %d threads, %d sockets, %d"
                + " series",
            sample.jobs(),
            sample.seconds(),
            sample.memoryMiB(),
            sample.heapMiB(),
            sample.threads(),
            sample.sockets(),
            sample.series()));
  }

  private static double heapAfterCollection(RunningOperator operator)
      throws InterruptedException, IOException {
    String pid = Long.toString(operator.process().pid());
    String unused = jcmd(pid, "GC.run");
    Matcher used = HEAP_USED.matcher(jcmd(pid, "GC.heap_info").split("Metaspace", 2)[0]);
    double kib = 0;
    while (used.find()) {
      kib += Double.parseDouble(used.group(1));
    }
    return kib / KIB;
  }

  private static String jcmd(String pid, String command) throws InterruptedException, IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), pid, command)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int unused = process.waitFor();
    return output;
  }

  /** What the operator and the API server still have of the jobs. */
  private List<String> leftovers(
      RunningOperator operator, KubernetesClient client, String namespace)
      throws InterruptedException {
    List<String> problems = new ArrayList<>();
    boolean empty =
        ScaleScene.awaitAtMost(
            STUCK,
            () ->
                client.pods().inNamespace(namespace).list().getItems().isEmpty()
                    && client.services().inNamespace(namespace).list().getItems().isEmpty());
    if (!empty) {
      problems.add("pods or Services are left in the namespace");
    }
    Map<String, Double> left = new TreeMap<>();
    boolean pruned =
        ScaleScene.awaitAtMost(
            Duration.ofMinutes(1),
            () -> {
              left.clear();
              left.putAll(present(operator));
              return left.values().stream().allMatch(value -> value == 0);
            });
    say("of the operator's metrics, what tells of present jobs: " + left);
    if (!pruned) {
      problems.add("the operator's metrics still tell of jobs: " + left);
    }
    return problems;
  }

  /** The operator's series that tell how many jobs it knows of. */
  private static Map<String, Double> present(RunningOperator operator) {
    Map<String, Double> values = new TreeMap<>();
    operator
        .process()
        .get("/q/metrics")
        .body()
        .lines()
        .filter(
            line ->
                line.startsWith("pytorchtrainingjob_jobs{")
                    || line.startsWith("pytorchtrainingjob_replicas{")
                    || line.startsWith("operator_sdk_reconciliations_queue"))
        .forEach(
            line ->
                values.put(
                    line.substring(0, line.lastIndexOf(' ')),
                    Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))));
    return values;
  }

  /** Looks at the second half of the samples: the first is warm-up. */
  private List<String> growth() {
    List<Sample> late = samples.subList(samples.size() / 2, samples.size());
    List<String> problems = new ArrayList<>();
    check(
        problems, "resident memory", "KiB", slope(late, s -> s.memoryMiB() * KIB), MOST_MEMORY_KIB);
    check(
        problems,
        "heap after collection",
        "KiB",
        slope(late, s -> s.heapMiB() * KIB),
        MOST_HEAP_KIB);
    change(problems, "threads", late, Sample::threads, MOST_THREADS);
    change(problems, "sockets", late, Sample::sockets, MOST_SOCKETS);
    change(problems, "series of metrics", late, Sample::series, MOST_SERIES);
    return problems;
  }

  private void check(List<String> problems, String what, String unit, double slope, double most) {
    String line =
        String.format(
            Locale.ROOT, "%s: %+.1f %s per 1,000 jobs (at most %.0f)", what, slope, unit, most);
    say(line);
    if (slope > most) {
      problems.add(line);
    }
  }

  private void change(
      List<String> problems,
      String what,
      List<Sample> late,
      java.util.function.ToDoubleFunction<Sample> value,
      double most) {
    double grown =
        value.applyAsDouble(late.get(late.size() - 1)) - value.applyAsDouble(late.get(0));
    String line = String.format(Locale.ROOT, "%s: %+.0f (at most %.0f)", what, grown, most);
    say(line);
    if (grown > most) {
      problems.add(line);
    }
  }

  /** The slope of the line that fits best, per thousand jobs. */
  private static double slope(
      List<Sample> samples, java.util.function.ToDoubleFunction<Sample> value) {
    double meanX = samples.stream().mapToDouble(Sample::jobs).average().orElse(0);
    double meanY = samples.stream().mapToDouble(value).average().orElse(0);
    double above = 0;
    double below = 0;
    for (Sample sample : samples) {
      above += (sample.jobs() - meanX) * (value.applyAsDouble(sample) - meanY);
      below += (sample.jobs() - meanX) * (sample.jobs() - meanX);
    }
    return below == 0 ? 0 : above / below * THOUSAND;
  }

  private void write(OperatorKind kind) throws IOException {
    Files.createDirectories(directory);
    List<Double> seconds = samples.stream().map(Sample::seconds).toList();
    List<Measurements.Curve> curves = new ArrayList<>();
    curves.add(
        new Measurements.Curve(
            "soak",
            "memory",
            "resident",
            seconds,
            samples.stream().map(Sample::memoryMiB).toList()));
    if (kind == OperatorKind.JAR) {
      curves.add(
          new Measurements.Curve(
              "soak", "memory", "heap", seconds, samples.stream().map(Sample::heapMiB).toList()));
    }
    Files.writeString(
        directory.resolve("soak-" + kind.title() + ".svg"),
        LinePlot.svg("Memory (MiB), " + jobs + " jobs, " + kind.title(), curves));
    new com.fasterxml.jackson.databind.ObjectMapper()
        .enable(com.fasterxml.jackson.databind.SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve("soak-" + kind.title() + ".json").toFile(), samples);
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
