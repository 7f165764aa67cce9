package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How fast the operator starts and how much memory it takes, as jar and as binary.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=SizingBenchmark}, after {@code ./mvnw package
 * -Dnative} if the binary shall be measured too. Exit code: 0 when the goals for the binary are
 * reached or there is none, 1 when not.
 */
public final class SizingBenchmark {

  private static final String NODE = "sizing";
  private static final Path JAR = Path.of("target/quarkus-app");
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration LOAD_LIMIT = Duration.ofMinutes(20);
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration LITTLE_CPU = Duration.ofMillis(200);
  private static final long POLL_MILLIS = 500;
  private static final long READY_POLL_MILLIS = 10;
  private static final int TRIES = 20;
  private static final double MIB = 1024.0 * 1024;
  private static final double MILLIS = 1000;

  private static final double SERVING_GOAL = 0.3;
  private static final double DISK_GOAL = 120;
  private static final long IDLE_GOAL = 100;
  private static final long LOADED_GOAL = 250;

  private final List<String> forms =
      List.of(System.getProperty("forms", "binary,jar").split(",", -1));
  private final int starts = Integer.getInteger("starts", 10);
  private final int jobs = Integer.getInteger("jobs", 1_000);
  private final int podsPerJob = Integer.getInteger("podsPerJob", 10);
  private final Path json = Path.of(System.getProperty("json", "target/benchmark/sizing.json"));
  private final FirstAnswer firstAnswer = new FirstAnswer();
  private final PrintStream out;

  private SizingBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; the system properties {@code starts}, {@code jobs}, {@code podsPerJob},
   *     {@code forms} ({@code binary,jar}) and {@code json} (where the result goes) say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new SizingBenchmark(System.out).run());
  }

  private int run() throws IOException, InterruptedException {
    List<Size> sizes = new ArrayList<>();
    Path binary = binary();
    if (forms.contains("binary") && binary != null) {
      System.setProperty("operator.binary", binary.toAbsolutePath().toString());
      sizes.add(measure("binary", Files.size(binary) / MIB));
      System.clearProperty("operator.binary");
    } else if (binary == null) {
      say("there is no binary: ./mvnw package -Dnative makes one");
    }
    if (forms.contains("jar")) {
      sizes.add(measure("jar", size(JAR)));
    }
    print(sizes);
    write(sizes);
    return sizes.stream().filter(size -> size.form().equals("binary")).allMatch(this::reached)
        ? 0
        : 1;
  }

  private static @Nullable Path binary() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("target"))) {
      return files
          .filter(file -> file.getFileName().toString().endsWith("-runner"))
          .findFirst()
          .orElse(null);
    }
  }

  private static double size(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum()
          / MIB;
    }
  }

  private Size measure(String form, double diskMiB) throws IOException, InterruptedException {
    say(form + ": starting a control plane");
    try (ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start();
        FakeKubelet kubelet =
            FakeKubelet.start(
                controlPlane.client(), FakeKubeletOptions.nodes(1).namePrefix(NODE))) {
      OperatorProcess.installCrds(controlPlane.client());
      String namespace = controlPlane.createNamespace("sizing");
      List<Double> serving = new ArrayList<>();
      List<Double> ready = new ArrayList<>();
      // The first one is not counted: it brings the files into the system's cache.
      for (int i = 0; i <= starts; i++) {
        Start start = start(controlPlane);
        if (i > 0) {
          serving.add(start.serving().toMillis() / MILLIS);
          ready.add(start.ready().toMillis() / MILLIS);
        }
      }
      say(form + ": serving after " + serving + " s, ready after " + ready + " s");
      try (OperatorProcess operator =
          OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), Map.of())) {
        OperatorUsage usage = OperatorUsage.of(operator);
        awaitQuiet(usage);
        long idle = usage.memoryMiB();
        say(form + ": idle with " + idle + " MiB; creating " + jobs + " jobs");
        Duration cpu = usage.cpu();
        Instant begin = Instant.now();
        load(controlPlane, namespace);
        Duration took = Duration.between(begin, Instant.now());
        awaitQuiet(usage);
        Size size =
            new Size(
                form,
                diskMiB,
                median(serving),
                median(ready),
                idle,
                usage.memoryMiB(),
                usage.peakMemoryMiB(),
                took.toMillis() / MILLIS,
                usage.cpu().minus(cpu).toMillis() / MILLIS);
        say(size.toString());
        return size;
      }
    }
  }

  private record Start(Duration serving, Duration ready) {}

  private Start start(ControlPlane controlPlane) throws InterruptedException {
    long begin = System.nanoTime();
    try (OperatorProcess operator =
        OperatorProcess.launchWithWebhooks(controlPlane.kubeconfig(), Map.of())) {
      Duration served = firstAnswer.await(URI.create(operator.webhookUrl()), begin, START_LIMIT);
      while (operator.get("/q/health/ready").statusCode() != 200) {
        TimeUnit.MILLISECONDS.sleep(READY_POLL_MILLIS);
      }
      return new Start(served, Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** Jobs whose pods are on the node already, as no scheduler is needed to look at memory. */
  private void load(ControlPlane controlPlane, String namespace) throws InterruptedException {
    Jobs created = new Jobs(controlPlane.client(), namespace);
    IntStream.range(0, jobs)
        .parallel()
        .forEach(
            i ->
                create(
                    created,
                    Jobs.simple("job-" + i, podsPerJob, "OnFailure")
                        .replace("containers:", "nodeName: " + NODE + "-0\n        containers:")));
    say(jobs + " jobs are created");
    Instant deadline = Instant.now().plus(LOAD_LIMIT);
    long running = 0;
    while (running < jobs) {
      TimeUnit.SECONDS.sleep(2);
      running =
          controlPlane
              .client()
              .resources(PyTorchTrainingJob.class)
              .inNamespace(namespace)
              .list()
              .getItems()
              .stream()
              .filter(job -> job.getStatus() != null)
              .filter(job -> "Running".equals(job.getStatus().phase()))
              .count();
      if (Instant.now().isAfter(deadline)) {
        throw new IllegalStateException(running + " of " + jobs + " jobs run after " + LOAD_LIMIT);
      }
    }
  }

  /** On a busy machine the API server does not always answer in time; it may have created it. */
  private static void create(Jobs jobs, String manifest) {
    for (int i = 1; ; i++) {
      try {
        jobs.create(manifest);
        return;
      } catch (KubernetesClientException refusal) {
        if (refusal.getCode() == HttpURLConnection.HTTP_CONFLICT) {
          return;
        }
        if (i == TRIES) {
          throw refusal;
        }
      }
    }
  }

  /** Until the operator has used next to no processor time for a while. */
  private static void awaitQuiet(OperatorUsage usage) throws InterruptedException {
    Instant deadline = Instant.now().plus(LOAD_LIMIT);
    Instant since = Instant.now();
    Duration before = usage.cpu();
    while (Duration.between(since, Instant.now()).compareTo(QUIET) < 0) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      Duration now = usage.cpu();
      if (now.minus(before).compareTo(LITTLE_CPU) > 0) {
        before = now;
        since = Instant.now();
      }
      if (Instant.now().isAfter(deadline)) {
        throw new IllegalStateException("the operator is still busy after " + LOAD_LIMIT);
      }
    }
  }

  private boolean reached(Size binary) {
    return binary.servingSeconds() < SERVING_GOAL
        && binary.diskMiB() < DISK_GOAL
        && binary.idleMiB() < IDLE_GOAL
        && binary.loadedMiB() < LOADED_GOAL;
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  private void print(List<Size> sizes) {
    out.println();
    conditions().forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    String load = jobs + " jobs, " + (long) jobs * podsPerJob + " pods";
    out.printf("| %-52s | goal  |", "");
    sizes.forEach(size -> out.printf(" %-7s |", size.form()));
    out.printf("%n|%s|-------|%s%n", "-".repeat(54), "---------|".repeat(sizes.size()));
    row(sizes, "start until a webhook answers (s)", "0.3", Size::servingSeconds, "%.2f");
    row(sizes, "start until ready (s)", "", Size::readySeconds, "%.2f");
    row(sizes, "resident memory, idle (MiB)", "100", Size::idleMiB, "%.0f");
    row(sizes, "resident memory, " + load + " (MiB)", "250", Size::loadedMiB, "%.0f");
    row(sizes, "the most resident memory until then (MiB)", "", Size::peakMiB, "%.0f");
    row(sizes, "files (MiB)", "120", Size::diskMiB, "%.1f");
    row(sizes, "until all jobs were seen running (s)", "", Size::loadSeconds, "%.0f");
    row(sizes, "the operator's processor time in these (s)", "", Size::cpuSeconds, "%.0f");
    out.flush();
  }

  private void row(
      List<Size> sizes, String name, String goal, ToDoubleFunction<Size> value, String format) {
    out.printf("| %-52s | %-5s |", name, goal);
    sizes.forEach(
        size ->
            out.printf(" %7s |", String.format(Locale.ROOT, format, value.applyAsDouble(size))));
    out.println();
  }

  private Map<String, Object> conditions() {
    Map<String, Object> conditions = new LinkedHashMap<>();
    conditions.put("time", Instant.now().toString());
    conditions.put("processors", Runtime.getRuntime().availableProcessors());
    conditions.put("java", System.getProperty("java.runtime.version"));
    conditions.put("jarOptions", System.getProperty("operator.java.options", ""));
    conditions.put("binaryOptions", System.getProperty("operator.binary.options", ""));
    conditions.put("starts", starts);
    conditions.put(
        "loadAverage", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    return conditions;
  }

  private void write(List<Size> sizes) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("conditions", conditions());
    root.put("jobs", jobs);
    root.put("podsPerJob", podsPerJob);
    root.put("sizes", sizes);
    try {
      Files.createDirectories(json.toAbsolutePath().getParent());
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), root);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    say("written: " + json);
  }

  private void say(String text) {
    out.println(text);
    out.flush();
  }
}
