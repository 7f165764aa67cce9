package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.LoopbackPorts;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Speed and scale: the packaged operator, as jar and as native binary, beside a bare client on the
 * same real API server, in turns.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=ScaleBenchmark}; {@code
 * docs/operations/benchmark.md} says what is measured and how to read it. Exit code: 0 when all
 * scenarios came to their end (with {@code -Dgoals=strict}: and all goals are reached), else 1.
 */
public final class ScaleBenchmark {

  /** The scenario of one job with very many pods. */
  private static final String LARGE = "C large";

  private static final String AS_SHIPPED = " as shipped";

  private static final int[] PARALLELISMS = {8, 16, 32, 64};

  /** The fastest on two processors, as the search has shown again and again. */
  private static final int QUICK_PARALLELISM = 32;

  /** A, B and C with the jar, in minutes. */
  private final boolean quick = flag("quick");

  private final int rounds = number("rounds", 3);
  private final int warmUps = number("warmups", quick ? 1 : 2);

  /** Makes everything smaller, to try the benchmark out. */
  private final double size = Double.parseDouble(property("size", "1"));

  private final int steadySeconds = number("steady", 180);
  private final boolean large = flag("large");
  private final List<String> scenarios =
      Arrays.asList(
          property("scenarios", quick ? "A,B,C" : "A,B,C,D,E,F,G,H")
              .toUpperCase(Locale.ROOT)
              .split(",", -1));
  private final List<OperatorKind> kinds = OperatorKind.chosen();
  private final Optional<Path> trainingOperator = TrainingOperator.program();
  private final Path directory = Profiles.directory();
  private final Measurements results = new Measurements();
  private final Map<String, Object> conditions = new LinkedHashMap<>();

  /** Those of a quick run, which go from scenario to scenario. */
  private final List<RunningProgram> operators = new ArrayList<>();

  private final @Nullable Profiles profiles;
  private final PrintStream out;

  /** A scenario, which may fail without taking the others with it. */
  private interface Part {
    void run() throws InterruptedException, IOException;
  }

  private ScaleBenchmark(PrintStream out) throws IOException {
    this.out = out;
    this.profiles = Profiles.wanted() ? new Profiles(directory, out) : null;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; system properties say what to do: {@code scenarios}, {@code rounds},
   *     {@code warmups}, {@code large} (one job of 5,000 pods more), {@code operators} ({@code
   *     jar,native}), {@code operator.binary}, {@code operator.java.options}, {@code parallelism}
   *     (of the bare client; else the best is looked for), {@code steady} (seconds of scenario G),
   *     {@code training.operator} (the program of Kubeflow's Training Operator, for scenario H),
   *     {@code size} (a factor for all numbers of jobs and pods, to try the benchmark out), {@code
   *     audit} (false: requests are not counted), {@code goals} (strict), {@code directory}, {@code
   *     profile} (a CPU profile of the API server and flight recordings of jars), {@code page} (a
   *     page of the documentation whose results are replaced)
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new ScaleBenchmark(System.out).run());
  }

  private int run() throws InterruptedException, IOException {
    ScaleReport report =
        new ScaleReport(conditions, results, Goals.of(kinds, trainingOperator.isPresent()));
    for (OperatorKind kind : kinds) {
      ScaleReport.addAdmission(kind, results);
    }
    out.println("starting the control plane");
    try (ScaleScene scene = ScaleScene.start(out)) {
      int parallelism = parallelism(scene);
      conditions(scene, parallelism);
      part("A", report, () -> creation(scene, "A", scaled(200), 4, parallelism));
      part("B", report, () -> creation(scene, "B", scaled(20), 64, parallelism));
      part("C", report, () -> creation(scene, "C", 1, scaled(1_000), parallelism));
      if (large && scenarios.contains("C")) {
        part(LARGE, report, () -> creation(scene, LARGE, 1, scaled(5_000), parallelism));
      }
      part(
          "D",
          report,
          () -> new RestartScenario(scene, results, scaled(2_000), 2).run(kinds, rounds));
      part("E", report, () -> new ReplacementScenario(scene, results, 64).run(kinds, 2 * rounds));
      part(
          "F",
          report,
          () ->
              new FairnessScenario(scene, results, scaled(1_000), scaled(100), 4)
                  .run(kinds, rounds));
      part(
          "G",
          report,
          () ->
              new SteadyScenario(
                      scene, results, scaled(200), scaled(2_000), 4, scaled(10_000), steadySeconds)
                  .run(kinds, rounds, warmUps));
      part("H", report, () -> pyTorchJobs(scene, parallelism));
      // Last: they have webhooks, which would stand in the way of the others if they stayed.
      part(
          "A" + AS_SHIPPED,
          report,
          () -> asShipped(scene, "A" + AS_SHIPPED, JobResource.PYTORCH_TRAINING_JOB, parallelism));
      part("H" + AS_SHIPPED, report, () -> pyTorchJobsAsShipped(scene, parallelism));
      operators.forEach(RunningProgram::close);
      conditions.put("kubelet's watch was cut off", scene.kubelet().cuts() + " times");
    }
    conditions.put("load average at the end", loadAverage());
    report.print(out);
    report.write(directory);
    out.println("written: " + directory.resolve("scale.json") + ", scale.md, scale-*.svg");
    String page = property("page", "");
    if (!page.isEmpty()) {
      report.writeInto(Path.of(page));
    }
    if (profiles != null) {
      profiles.print();
    }
    boolean strict = property("goals", "").equals("strict");
    return results.failures().isEmpty() && (!strict || report.allReached()) ? 0 : 1;
  }

  private void creation(ScaleScene scene, String name, int jobs, int pods, int parallelism)
      throws InterruptedException, IOException {
    CreationScenario scenario =
        new CreationScenario(
            scene, results, name, JobResource.PYTORCH_TRAINING_JOB, jobs, pods, parallelism, quick);
    if (profiles != null && name.equals("A")) {
      Api administrator = Api.ofAdministrator(scene.controlPlane());
      scenario = scenario.beforeFirstLife(() -> profiles.ofApiServer(administrator));
    }
    // Once is enough to see whether it works, and what it takes.
    int turns = name.equals(LARGE) ? 1 : rounds;
    if (!quick) {
      scenario.run(starts(scene), turns, name.equals(LARGE) ? 0 : warmUps, turns);
      return;
    }
    // Operators that are warm stay so: in a few minutes there is no time to warm others up.
    boolean warm = !operators.isEmpty();
    if (!warm) {
      operators.addAll(scenario.start(starts(scene)));
    }
    scenario.measure(operators, turns, warm ? 0 : warmUps, 0);
  }

  private List<RunningProgram.Start> starts(ScaleScene scene) {
    List<RunningProgram.Start> starts = new ArrayList<>();
    for (OperatorKind kind : kinds) {
      starts.add(() -> scene.operator(kind));
    }
    return starts;
  }

  /** Scenario A with PyTorchJobs, beside Kubeflow's operator when its program is named. */
  private void pyTorchJobs(ScaleScene scene, int parallelism)
      throws InterruptedException, IOException {
    List<RunningProgram.Start> starts = starts(scene);
    trainingOperator.ifPresent(program -> starts.add(() -> scene.trainingOperator(program)));
    new CreationScenario(
            scene, results, "H", JobResource.PYTORCH_JOB, scaled(200), 4, parallelism, quick)
        .run(starts, rounds, warmUps, 0);
  }

  private void pyTorchJobsAsShipped(ScaleScene scene, int parallelism)
      throws InterruptedException, IOException {
    String name = "H" + AS_SHIPPED;
    asShipped(scene, name, JobResource.PYTORCH_JOB, parallelism);
    if (trainingOperator.isEmpty()) {
      return;
    }
    scene.withoutWebhooks();
    // Once, and at once: it takes minutes, and its limit is the same each time.
    new CreationScenario(
            scene, results, name, JobResource.PYTORCH_JOB, scaled(200), 4, parallelism, quick)
        .runAsShipped(() -> scene.trainingOperatorAsShipped(trainingOperator.get()), 0, 1);
    for (OperatorKind kind : kinds) {
      results.add(
          name,
          kind.title(),
          Metric.PER_TRAINING_OPERATOR,
          median(name, kind.title()) / median(name, TrainingOperator.TITLE));
    }
  }

  private double median(String scenario, String client) {
    return results.summary(scenario, client, Metric.ALL_RUNNING).orElseThrow().median();
  }

  private void asShipped(ScaleScene scene, String name, JobResource resource, int parallelism)
      throws InterruptedException, IOException {
    for (OperatorKind kind : kinds) {
      int port = LoopbackPorts.next();
      scene.withoutWebhooks();
      Map<String, String> settings =
          Map.of(
              "OPERATOR_WEBHOOKS_URL",
              "https://127.0.0.1:" + port,
              "QUARKUS_HTTP_SSL_PORT",
              Integer.toString(port));
      new CreationScenario(scene, results, name, resource, scaled(200), 4, parallelism, quick)
          .runAsShipped(() -> scene.operatorAsShipped(kind, settings), 1, rounds);
    }
  }

  /** Runs a scenario if it is asked for; what has been measured is written after each. */
  private void part(String name, ScaleReport report, Part part)
      throws InterruptedException, IOException {
    if (!scenarios.contains(name.substring(0, 1)) || (quick && name.endsWith(AS_SHIPPED))) {
      return;
    }
    out.println("scenario " + name + ", load average " + loadAverage());
    long begin = System.nanoTime();
    try {
      part.run();
    } catch (RuntimeException | IOException problem) {
      results.failed(name, problem);
      problem.printStackTrace(out);
    }
    out.printf(Locale.ROOT, "scenario %s took %.0f s%n", name, (System.nanoTime() - begin) / 1e9);
    report.write(directory);
  }

  /** Warms up, and finds out with how many requests at once the bare client is fastest. */
  private int parallelism(ScaleScene scene) throws InterruptedException, IOException {
    int given = number("parallelism", quick ? QUICK_PARALLELISM : 0);
    if (given > 0) {
      return given;
    }
    int best = PARALLELISMS[0];
    double bestRate = 0;
    for (int turn = 0; turn < 2; turn++) {
      for (int parallelism : PARALLELISMS) {
        Measurements apart = new Measurements();
        int turns = turn == 0 ? 1 : 2;
        new CreationScenario(
                scene,
                apart,
                "raw",
                JobResource.PYTORCH_TRAINING_JOB,
                scaled(100),
                4,
                parallelism,
                true)
            .run(List.of(), turns, 0, turns);
        double rate =
            apart.summary("raw", BareLives.RAW, Metric.PODS_PER_SECOND).orElseThrow().median();
        out.printf(Locale.ROOT, "bare client, %d at a time: %.0f pods/s%n", parallelism, rate);
        if (turn > 0 && rate > bestRate) {
          best = parallelism;
          bestRate = rate;
        }
      }
    }
    return best;
  }

  private void conditions(ScaleScene scene, int parallelism) {
    conditions.put("processors", Runtime.getRuntime().availableProcessors());
    conditions.put(
        "kubernetes", scene.controlPlane().client().getKubernetesVersion().getGitVersion());
    conditions.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    conditions.put(
        "jar with", System.getProperty("operator.java.options", "-Xmx512m -XX:+UseSerialGC"));
    conditions.put("rounds", rounds + " after " + warmUps + " to warm up");
    if (size != 1) {
      conditions.put("size", size + " of the real one: no measurement");
    }
    if (profiles != null) {
      conditions.put("profiled", "yes, so slower than usual");
    }
    conditions.put("bare client", parallelism + " requests at a time");
    conditions.put("load average at the beginning", loadAverage());
  }

  private int scaled(int number) {
    return Math.max(1, (int) Math.round(number * size));
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : value;
  }

  private static int number(String name, int otherwise) {
    return Integer.parseInt(property(name, Integer.toString(otherwise)));
  }

  /** Given with true, which Maven makes of an option without a value. */
  private static boolean flag(String name) {
    String value = System.getProperty(name);
    return value != null && !value.isEmpty() && !value.equals("false");
  }
}
