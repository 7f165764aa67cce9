package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Many jobs at once, through their whole life, beside the bare client: scenarios A, B, C and H.
 * Each round has two parts. In the first pods start; it gives all times. In the second the kubelet
 * waits until all pods exist, so that nobody else keeps the API server busy meanwhile; it gives the
 * CPU time of creations.
 */
final class CreationScenario {

  /** Behind a client's name in tables: the masters' pods end before the workers'. */
  private static final String MASTERS_FIRST = ", masters end first";

  private static final double MILLIS = 1_000;
  private static final double PERCENT = 100;
  private static final int MEDIAN = 50;
  private static final int HIGH = 99;
  private static final long IDLE_SECONDS = 3;

  private final ScaleScene scene;
  private final Measurements results;
  private final String name;
  private final JobResource resource;
  private final int jobs;
  private final int podsEach;
  private final int parallelism;
  private final boolean quick;
  private final BareLives bare;
  private int number;
  private @Nullable Runnable beforeFirstLife;

  /**
   * A scenario.
   *
   * @param name in tables
   * @param resource which kind of jobs
   * @param parallelism of the bare clients
   * @param quick without what is told by others in about the same way
   */
  CreationScenario(
      ScaleScene scene,
      Measurements results,
      String name,
      JobResource resource,
      int jobs,
      int podsEach,
      int parallelism,
      boolean quick) {
    this.scene = scene;
    this.results = results;
    this.name = name;
    this.resource = resource;
    this.jobs = jobs;
    this.podsEach = podsEach;
    this.parallelism = parallelism;
    this.quick = quick;
    this.bare = new BareLives(scene, results, name, resource, parallelism);
  }

  /** Has something begin with an operator's first round that counts. */
  CreationScenario beforeFirstLife(Runnable begin) {
    beforeFirstLife = begin;
    return this;
  }

  /**
   * Measures, with fresh operators.
   *
   * @param starts how each is started
   * @param rounds of whole lives
   * @param warmUps before these
   * @param heldRounds in which nothing starts until all pods exist
   */
  void run(List<? extends RunningProgram.Start> starts, int rounds, int warmUps, int heldRounds)
      throws InterruptedException, IOException {
    List<RunningProgram> operators = start(starts);
    try {
      measure(operators, rounds, warmUps, heldRounds);
    } finally {
      operators.forEach(RunningProgram::close);
    }
  }

  /** Starts operators, and takes down their memory before they have anything to do. */
  List<RunningProgram> start(List<? extends RunningProgram.Start> starts)
      throws InterruptedException {
    List<RunningProgram> operators = new ArrayList<>();
    try {
      for (RunningProgram.Start start : starts) {
        RunningProgram operator = start.start();
        operators.add(operator);
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        add(operator, Metric.IDLE_MEMORY, operator.usage().memoryMiB());
      }
      return operators;
    } catch (RuntimeException | InterruptedException problem) {
      operators.forEach(RunningProgram::close);
      throw problem;
    }
  }

  /** Measures, with operators that run already. */
  void measure(List<RunningProgram> operators, int rounds, int warmUps, int heldRounds)
      throws InterruptedException, IOException {
    for (int i = 0; i < warmUps; i++) {
      double unused = bare.live(BareLives.RAW, manifests(), false);
      for (RunningProgram operator : operators) {
        double alsoUnused = life(operator, i == 0 ? Count.FIRST : Count.NOTHING);
      }
    }
    for (int i = 0; i < rounds; i++) {
      round(operators, i);
    }
    if (jobs > 1) {
      for (RunningProgram operator : operators) {
        mastersFirst(operator);
      }
    }
    for (int i = 0; i < heldRounds; i++) {
      heldRound(operators, i);
    }
    for (RunningProgram operator : operators) {
      add(operator, Metric.PEAK_MEMORY, operator.usage().peakMemoryMiB());
    }
  }

  /** Rounds with one program as it is shipped, webhooks and all; only times and requests. */
  void runAsShipped(RunningProgram.Start start, int warmUps, int rounds)
      throws InterruptedException, IOException {
    try (RunningProgram operator = start.start()) {
      for (int i = -warmUps; i < rounds; i++) {
        double unused = life(operator, i >= 0 ? Count.ALL : Count.NOTHING);
      }
    }
  }

  private void round(List<RunningProgram> operators, int turn)
      throws InterruptedException, IOException {
    List<Turn> turns = turns(operators);
    turns.add(new Turn(SameWritesClient.TITLE, null));
    if (!quick) {
      turns.add(new Turn(BareLives.WITH_JOBS, null));
    }
    Map<String, Double> rates = new HashMap<>();
    java.util.Collections.rotate(turns, turn);
    for (Turn one : turns) {
      if (one.operator() != null) {
        rates.put(one.client(), life(one.operator(), Count.ALL));
      } else if (bare.has(one.client())) {
        rates.put(one.client(), bare.live(one.client(), manifests(), true));
      }
    }
    for (Map.Entry<String, Double> one : rates.entrySet()) {
      ratio(one, Metric.PER_RAW, rates.get(BareLives.RAW));
      ratio(one, Metric.PER_SAME_WRITES, rates.get(SameWritesClient.TITLE));
      ratio(one, Metric.PER_RAW_WITH_JOBS, rates.get(BareLives.WITH_JOBS));
    }
    for (RunningProgram operator : operators) {
      Double other = rates.get(TrainingOperator.TITLE);
      if (other != null && operator instanceof RunningOperator) {
        // The same number of pods: times are to each other as rates are the other way round.
        double rate = Objects.requireNonNull(rates.get(operator.client()));
        add(operator, Metric.PER_TRAINING_OPERATOR, other / rate);
      }
    }
    say("round " + (turn + 1), rates, Metric.PODS_PER_SECOND);
  }

  /** The same number of pods: the ratio of the rates is that of the times, the other way round. */
  private void ratio(Map.Entry<String, Double> one, Metric metric, @Nullable Double other) {
    if (other != null && !one.getValue().equals(other)) {
      results.add(name, one.getKey(), metric, one.getValue() / other);
    }
  }

  private void heldRound(List<RunningProgram> operators, int turn) throws InterruptedException {
    Map<String, Double> costs = new HashMap<>();
    List<Turn> turns = turns(operators);
    // Whoever comes second finds the server as the first has left it.
    java.util.Collections.rotate(turns, turn);
    for (Turn one : turns) {
      costs.put(one.client(), held(one.operator()));
    }
    double raw = Objects.requireNonNull(costs.get(BareLives.RAW));
    for (RunningProgram operator : operators) {
      double cost = Objects.requireNonNull(costs.get(operator.client()));
      results.add(name, operator.client(), Metric.API_CPU_PER_RAW, cost / raw);
    }
    say("round " + (turn + 1), costs, Metric.API_CPU);
  }

  /**
   * Whose turn it is.
   *
   * @param operator null for a bare client
   */
  private record Turn(String client, @Nullable RunningProgram operator) {}

  /** The bare client and all operators. */
  private static List<Turn> turns(List<RunningProgram> operators) {
    List<Turn> turns = new ArrayList<>();
    turns.add(new Turn(BareLives.RAW, null));
    operators.forEach(operator -> turns.add(new Turn(operator.client(), operator)));
    return turns;
  }

  private void say(String round, Map<String, Double> values, Metric metric) {
    scene.say(
        name
            + ", "
            + round
            + ", "
            + metric.title()
            + ": "
            + new TreeMap<>(values)
                .entrySet().stream()
                    .map(one -> one.getKey() + " " + metric.format(one.getValue()))
                    .collect(Collectors.joining(", ")));
  }

  private int pods() {
    return jobs * podsEach;
  }

  private Map<String, String> manifests() {
    number++;
    return resource.manifests("j" + number + "-", jobs, podsEach, "");
  }

  // --- an operator

  /** What is taken down of a life. */
  private enum Count {
    /** Nothing, it only warms up. */
    NOTHING,
    /** What the first round after the start costs. */
    FIRST,
    /** Everything. */
    ALL
  }

  /** The whole life of all jobs; pods per second. */
  private double life(RunningProgram operator, Count count)
      throws InterruptedException, IOException {
    return life(operator, count, EndOrder.WORKERS_FIRST);
  }

  /** The requests of a life whose pods end in the other order. */
  private void mastersFirst(RunningProgram operator) throws InterruptedException, IOException {
    Optional<AuditTrail> trail = scene.trail();
    double unused = life(operator, Count.NOTHING, EndOrder.MASTERS_FIRST);
    if (trail.isPresent()) {
      requests(operator, operator.client() + MASTERS_FIRST, trail.get());
    }
  }

  private double life(RunningProgram operator, Count count, EndOrder order)
      throws InterruptedException, IOException {
    String namespace = operator.namespace();
    SwiftKubelet kubelet = scene.kubelet();
    Map<String, String> manifests = manifests();
    Optional<AuditTrail> trail = scene.trail();
    int before = kubelet.running(namespace);
    scene.awaitQuiet();
    if (count == Count.ALL && beforeFirstLife != null) {
      beforeFirstLife.run();
      beforeFirstLife = null;
    }
    double cpu = operator.usage().cpuSeconds();
    ScaleScene.Cpu cpuBefore = scene.cpu();
    long begin = System.nanoTime();
    List<JobLife> lives;
    try (MemorySampler memory = new MemorySampler(operator.usage())) {
      lives = scene.desk(resource).submit(namespace, manifests);
      ScaleScene.await(
          "all pods run; log of the operator: " + operator.log(),
          () -> kubelet.running(namespace) - before >= pods());
      ScaleScene.Cpu untilAllRun = scene.cpu().since(cpuBefore);
      double ofOperator = operator.usage().cpuSeconds() - cpu;
      ScaleScene.await(
          "all jobs say that they run; log of the operator: " + operator.log(),
          () -> lives.stream().allMatch(job -> job.running != 0));
      if (operator instanceof RunningOperator) {
        bare.take(lives.get(0).status);
      }
      int statusBytes = lives.get(0).status.toString().length();
      List<PodLife> pods = kubelet.pods(namespace);
      long lastEnd = order.end(kubelet, pods);
      ScaleScene.await(
          "all jobs succeeded; log of the operator: " + operator.log(),
          () -> lives.stream().allMatch(job -> job.finished != 0));
      long end = pods.stream().mapToLong(pod -> pod.running).max().orElseThrow();
      double rate = pods() / Percentile.seconds(end - begin);
      long deletion = System.nanoTime();
      scene.clear(namespace, lives);
      long gone = System.nanoTime();
      scene.awaitQuiet(operator);
      double perPod = (operator.usage().cpuSeconds() - cpu) * MILLIS / pods();
      if (count == Count.FIRST) {
        results.add(name, operator.client(), Metric.OPERATOR_CPU_COLD, perPod);
      }
      if (count == Count.ALL) {
        add(operator, Metric.PODS_PER_SECOND, rate);
        add(operator, Metric.ALL_RUNNING, Percentile.seconds(end - begin));
        add(operator, Metric.OPERATOR_CPU, perPod);
        PodCpu podCpu = new PodCpu(results, name, operator.client(), pods());
        podCpu.untilAllRun(untilAllRun, ofOperator);
        podCpu.wholeLife(scene.cpu().since(cpuBefore));
        add(operator, Metric.STATUS_BYTES, statusBytes);
        long finished = lives.stream().mapToLong(job -> job.finished).max().orElseThrow();
        add(operator, Metric.FINISHED, Percentile.seconds(finished - lastEnd));
        add(operator, Metric.GONE, Percentile.seconds(gone - deletion));
        latencies(operator, pods, lives);
        results.curves(name, operator.client(), begin, pods);
        results.curve(memory.curve(name, operator.client()));
        if (trail.isPresent()) {
          requests(operator, operator.client(), trail.get());
        }
      }
      scene.forget(namespace);
      return rate;
    }
  }

  private void add(RunningProgram operator, Metric metric, double value) {
    results.add(name, operator.client(), metric, value);
  }

  private void latencies(RunningProgram operator, List<PodLife> pods, List<JobLife> lives) {
    Map<String, List<PodLife>> byJob = pods.stream().collect(Collectors.groupingBy(pod -> pod.job));
    List<Long> first = new ArrayList<>();
    List<Long> created = new ArrayList<>();
    List<Long> running = new ArrayList<>();
    List<Long> status = new ArrayList<>();
    for (JobLife job : lives) {
      List<PodLife> own = byJob.getOrDefault(job.name, List.of());
      long lastRuns = last(own, pod -> pod.running);
      first.add(own.stream().mapToLong(pod -> pod.created).min().orElseThrow() - job.submitted);
      created.add(last(own, pod -> pod.created) - job.submitted);
      running.add(lastRuns - job.submitted);
      status.add(job.running - lastRuns);
    }
    add(operator, Metric.FIRST_POD_P50, Percentile.seconds(first, MEDIAN));
    add(operator, Metric.FIRST_POD_P99, Percentile.seconds(first, HIGH));
    add(operator, Metric.JOB_CREATED_P50, Percentile.seconds(created, MEDIAN));
    add(operator, Metric.JOB_CREATED_P99, Percentile.seconds(created, HIGH));
    add(operator, Metric.JOB_RUNNING_P50, Percentile.seconds(running, MEDIAN));
    add(operator, Metric.JOB_RUNNING_P99, Percentile.seconds(running, HIGH));
    add(operator, Metric.STATUS_P50, Percentile.seconds(status, MEDIAN));
    add(operator, Metric.STATUS_P99, Percentile.seconds(status, HIGH));
    List<Long> lags = pods.stream().map(pod -> pod.running - pod.created).toList();
    add(operator, Metric.KUBELET_P50, Percentile.seconds(lags, MEDIAN));
    add(operator, Metric.KUBELET_P99, Percentile.seconds(lags, HIGH));
  }

  private static long last(List<PodLife> pods, ToLongFunction<PodLife> moment) {
    return pods.stream().mapToLong(moment).max().orElseThrow();
  }

  private void requests(RunningProgram operator, String client, AuditTrail trail)
      throws IOException {
    Map<String, Double> kinds = new TreeMap<>();
    int all = 0;
    int failed = 0;
    for (AuditTrail.Request request : trail.next()) {
      if (request.user().equals(operator.user())) {
        String kind = request.kind() + (request.failed() ? " → " + request.code() : "");
        kinds.merge(kind, 1.0 / jobs, Double::sum);
        all++;
        failed += request.failed() ? 1 : 0;
      }
    }
    results.requests(name, client, kinds);
    results.add(name, client, Metric.REQUESTS_PER_POD, (double) all / pods());
    results.add(name, client, Metric.REQUESTS_PER_JOB, (double) (all - pods()) / jobs);
    results.add(name, client, Metric.FAILED_SHARE, all == 0 ? 0 : PERCENT * failed / all);
  }

  // --- the second part

  /** Creates the pods of all jobs while nothing starts; API server's CPU per pod in ms. */
  private double held(@Nullable RunningProgram operator) throws InterruptedException {
    String client = operator == null ? BareLives.RAW : operator.client();
    String namespace = operator == null ? scene.rawNamespace() : operator.namespace();
    SwiftKubelet kubelet = scene.kubelet();
    Map<String, String> manifests = manifests();
    List<byte[]> bodies =
        operator == null ? scene.rawBodies(resource, manifests).pods() : List.of();
    int created = kubelet.created(namespace);
    int running = kubelet.running(namespace);
    scene.awaitQuiet();
    kubelet.hold();
    try {
      double operatorCpu = operator == null ? 0 : operator.usage().cpuSeconds();
      ScaleScene.Cpu before = scene.cpu();
      long begin = System.nanoTime();
      List<JobLife> lives = List.of();
      if (operator == null) {
        var unused = scene.raw().createPods(namespace, bodies, parallelism);
      } else {
        lives = scene.desk(resource).submit(namespace, manifests);
      }
      ScaleScene.await("all pods exist", () -> kubelet.created(namespace) - created >= pods());
      ScaleScene.Cpu used = scene.cpu().since(before);
      double client1 = operator == null ? used.self() : operator.usage().cpuSeconds() - operatorCpu;
      long end = kubelet.pods(namespace).stream().mapToLong(pod -> pod.created).max().orElseThrow();
      double cost = used.apiServer() * MILLIS / pods();
      results.add(name, client, Metric.API_CPU, cost);
      results.add(name, client, Metric.ETCD_CPU, used.etcd() * MILLIS / pods());
      results.add(name, client, Metric.CLIENT_CPU, client1 * MILLIS / pods());
      results.add(
          name, client, Metric.CREATED_PER_SECOND, pods() / Percentile.seconds(end - begin));
      long release = System.nanoTime();
      kubelet.release();
      ScaleScene.await(
          "all pods run after the release", () -> kubelet.running(namespace) - running >= pods());
      if (operator == null) {
        results.add(
            name,
            client,
            Metric.KUBELET_ALONE,
            pods() / Percentile.seconds(System.nanoTime() - release));
        bare.clear();
      } else {
        scene.clear(namespace, lives);
        scene.awaitQuiet(operator);
        scene.forget(namespace);
      }
      return cost;
    } finally {
      kubelet.release();
    }
  }
}
