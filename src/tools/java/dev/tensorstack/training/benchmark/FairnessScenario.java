package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Scenario F: small jobs that come just after a big one, compared with the same jobs alone. */
final class FairnessScenario {

  private static final String NAME = "F";
  private static final int HIGH = 99;
  private static final int WARM_UPS = 1;

  private final ScaleScene scene;
  private final Measurements results;
  private final int bigPods;
  private final int jobs;
  private final int podsEach;
  private int number;

  FairnessScenario(ScaleScene scene, Measurements results, int bigPods, int jobs, int podsEach) {
    this.scene = scene;
    this.results = results;
    this.bigPods = bigPods;
    this.jobs = jobs;
    this.podsEach = podsEach;
  }

  void run(List<OperatorKind> kinds, int rounds) throws InterruptedException {
    scene.inTurns(kinds, WARM_UPS, rounds, this::compare);
  }

  private void compare(RunningOperator operator, boolean counts) throws InterruptedException {
    double alone = smallJobs(operator, false, counts);
    double behind = smallJobs(operator, true, counts);
    if (counts) {
      results.add(NAME, operator.client(), Metric.ALONE_P99, alone);
      results.add(NAME, operator.client(), Metric.BEHIND_P99, behind);
      results.add(NAME, operator.client(), Metric.BEHIND_PER_ALONE, behind / alone);
      scene.say(
          NAME
              + ", "
              + operator.client()
              + ": p99 alone "
              + Metric.ALONE_P99.format(alone)
              + " s, behind "
              + Metric.BEHIND_P99.format(behind)
              + " s");
    }
  }

  /** The p99 from a small job's submission to its last pod's creation. */
  private double smallJobs(RunningOperator operator, boolean behind, boolean counts)
      throws InterruptedException {
    number++;
    String namespace = operator.namespace();
    String small = "f" + number + "-";
    String big = "big" + number + "-";
    int before = scene.kubelet().created(namespace);
    Map<String, String> manifests = ScaleScene.manifests(small, jobs, podsEach, "");
    List<JobLife> all = new ArrayList<>();
    if (behind) {
      all.addAll(scene.desk().submit(namespace, ScaleScene.manifests(big, 1, bigPods, "")));
    }
    List<JobLife> lives = scene.desk().submit(namespace, manifests);
    all.addAll(lives);
    int expected = jobs * podsEach + (behind ? bigPods : 0);
    ScaleScene.await(
        "all pods exist; log of the operator: " + operator.process().log(),
        () -> scene.kubelet().created(namespace) - before >= expected);
    Map<String, List<PodLife>> pods =
        scene.kubelet().pods(namespace).stream().collect(Collectors.groupingBy(pod -> pod.job));
    List<Long> spans = new ArrayList<>();
    for (JobLife job : all) {
      long last =
          pods.getOrDefault(job.name, List.of()).stream()
              .mapToLong(pod -> pod.created)
              .max()
              .orElseThrow();
      if (job.name.startsWith(small)) {
        spans.add(last - job.submitted);
      } else if (counts) {
        results.add(
            NAME,
            operator.client(),
            Metric.BIG_JOB_CREATED,
            Percentile.seconds(last - job.submitted));
      }
    }
    ScaleScene.await("all jobs run", () -> all.stream().allMatch(job -> job.running != 0));
    scene.clear(namespace, all);
    scene.awaitQuiet(operator);
    scene.forget(namespace);
    return Percentile.seconds(spans, HIGH);
  }
}
