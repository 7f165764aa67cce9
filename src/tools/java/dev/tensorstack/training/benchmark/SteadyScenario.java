package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Scenario G: does a pod cost more among many? And what does an operator do while many pods run and
 * nothing happens?
 */
final class SteadyScenario {

  private static final String NAME = "G";
  private static final double MILLIS = 1_000;
  private static final double MINUTE = 60;
  private static final java.util.Set<String> READS = java.util.Set.of("get", "list", "watch");

  private final ScaleScene scene;
  private final Measurements results;
  private final int fewJobs;
  private final int manyJobs;
  private final int podsEach;
  private final int steadyPods;
  private final int steadySeconds;
  private int number;

  SteadyScenario(
      ScaleScene scene,
      Measurements results,
      int fewJobs,
      int manyJobs,
      int podsEach,
      int steadyPods,
      int steadySeconds) {
    this.scene = scene;
    this.results = results;
    this.fewJobs = fewJobs;
    this.manyJobs = manyJobs;
    this.podsEach = podsEach;
    this.steadyPods = steadyPods;
    this.steadySeconds = steadySeconds;
  }

  void run(List<OperatorKind> kinds, int rounds, int warmUps)
      throws InterruptedException, IOException {
    for (OperatorKind kind : kinds) {
      try (RunningOperator operator = scene.operator(kind)) {
        for (int i = 0; i < warmUps; i++) {
          List<JobLife> jobs = new ArrayList<>();
          double unused = costPerPod(operator, fewJobs, jobs);
          clear(operator, jobs);
        }
        List<Double> few = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
          List<JobLife> jobs = new ArrayList<>();
          few.add(costPerPod(operator, fewJobs, jobs));
          clear(operator, jobs);
        }
        few.forEach(cost -> results.add(NAME, operator.client(), Metric.SMALL_CPU, cost));
        List<JobLife> jobs = new ArrayList<>();
        double many = costPerPod(operator, manyJobs, jobs);
        results.add(NAME, operator.client(), Metric.LARGE_CPU, many);
        results.add(
            NAME,
            operator.client(),
            Metric.GROWTH,
            many / Summary.of(few, Double::doubleValue).median());
        int more = steadyPods / podsEach - manyJobs;
        if (more > 0) {
          double unused = costPerPod(operator, more, jobs);
        }
        scene.awaitQuiet(operator);
        steady(operator);
        results.add(NAME, operator.client(), Metric.PEAK_MEMORY, operator.usage().peakMemoryMiB());
        clear(operator, jobs);
      }
    }
  }

  private void clear(RunningOperator operator, List<JobLife> jobs) throws InterruptedException {
    scene.clear(operator.namespace(), jobs);
    scene.awaitQuiet(operator);
    scene.forget(operator.namespace());
  }

  /** Submits jobs and waits until they run; the operator's CPU per pod in ms. */
  private double costPerPod(RunningOperator operator, int jobs, List<JobLife> all)
      throws InterruptedException {
    number++;
    String namespace = operator.namespace();
    int before = scene.kubelet().running(namespace);
    double cpu = operator.usage().cpuSeconds();
    List<JobLife> lives =
        scene
            .desk()
            .submit(namespace, ScaleScene.manifests("g" + number + "-", jobs, podsEach, ""));
    all.addAll(lives);
    ScaleScene.await(
        "all pods run; log of the operator: " + operator.process().log(),
        () -> scene.kubelet().running(namespace) - before >= jobs * podsEach);
    ScaleScene.await(
        "all jobs say that they run; log of the operator: " + operator.process().log(),
        () -> lives.stream().allMatch(job -> job.running != 0));
    double cost = (operator.usage().cpuSeconds() - cpu) * MILLIS / (jobs * podsEach);
    scene.say(
        NAME
            + ", "
            + operator.client()
            + ": "
            + jobs
            + " jobs, CPU per pod "
            + Metric.SMALL_CPU.format(cost)
            + " ms");
    return cost;
  }

  private void steady(RunningOperator operator) throws InterruptedException, IOException {
    Optional<AuditTrail> trail = scene.trail();
    ScaleScene.Cpu before = scene.cpu();
    double cpu = operator.usage().cpuSeconds();
    try (MemorySampler memory = new MemorySampler(operator.usage())) {
      TimeUnit.SECONDS.sleep(steadySeconds);
      results.curve(memory.curve(NAME, operator.client()));
    }
    double minutes = steadySeconds / MINUTE;
    results.add(
        NAME,
        operator.client(),
        Metric.STEADY_CPU,
        (operator.usage().cpuSeconds() - cpu) / minutes);
    results.add(
        NAME,
        operator.client(),
        Metric.STEADY_API_CPU,
        scene.cpu().since(before).apiServer() / minutes);
    if (trail.isPresent()) {
      int all = 0;
      int writes = 0;
      Map<String, Double> kinds = new TreeMap<>();
      for (AuditTrail.Request request : trail.get().next()) {
        if (request.user().equals(operator.user())) {
          all++;
          writes += READS.contains(request.kind().split(" ", 2)[0]) ? 0 : 1;
          kinds.merge(request.kind(), 1 / minutes, Double::sum);
        }
      }
      results.add(NAME, operator.client(), Metric.STEADY_WRITES, writes / minutes);
      results.add(NAME, operator.client(), Metric.STEADY_REQUESTS, all / minutes);
      results.requests(NAME, operator.client(), kinds);
    }
  }
}
