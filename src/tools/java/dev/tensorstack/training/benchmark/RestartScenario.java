package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Scenario D: an operator starts where many jobs have finished long ago, their pods still there,
 * and one job waits. How long until it has its first pod?
 */
final class RestartScenario {

  private static final String NAME = "D";
  private static final long SETTLE_SECONDS = 3;

  private final ScaleScene scene;
  private final Measurements results;
  private final int jobs;
  private final int podsEach;

  RestartScenario(ScaleScene scene, Measurements results, int jobs, int podsEach) {
    this.scene = scene;
    this.results = results;
    this.jobs = jobs;
    this.podsEach = podsEach;
  }

  void run(List<OperatorKind> kinds, int rounds) throws InterruptedException {
    String namespace = scene.controlPlane().createNamespace("finished");
    List<JobLife> finished;
    try (RunningOperator maker =
        RunningOperator.start(kinds.get(0), scene.account(kinds.get(0)), namespace, Map.of())) {
      scene.say(NAME + ": making " + jobs + " finished jobs");
      finished =
          scene.desk().submit(namespace, ScaleScene.manifests(ScaleScene.DONE, jobs, podsEach, ""));
      ScaleScene.await(
          "all jobs succeeded; log of the operator: " + maker.process().log(),
          () -> finished.stream().allMatch(job -> job.finished != 0));
      scene.awaitQuiet(maker);
    }
    for (int i = 0; i < rounds; i++) {
      for (OperatorKind kind : kinds) {
        restart(kind, namespace, "new" + i + "-" + kind.title() + "-");
      }
    }
    scene.clear(namespace, finished);
    scene.forget(namespace);
  }

  private void restart(OperatorKind kind, String namespace, String prefix)
      throws InterruptedException {
    int before = scene.kubelet().created(namespace);
    List<JobLife> waiting = scene.desk().submit(namespace, ScaleScene.manifests(prefix, 1, 1, ""));
    long begin = System.nanoTime();
    try (RunningOperator operator =
        RunningOperator.launch(kind, scene.account(kind), namespace, Map.of())) {
      try (MemorySampler memory = new MemorySampler(operator.usage())) {
        ScaleScene.await(
            "the new job's pod; log of the operator: " + operator.process().log(),
            () -> scene.kubelet().created(namespace) > before);
        double seconds = Percentile.seconds(System.nanoTime() - begin);
        ScaleScene.await(
            "the new job runs", () -> waiting.stream().allMatch(job -> job.running != 0));
        TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        double peak = operator.usage().peakMemoryMiB();
        results.add(NAME, kind.title(), Metric.RESTARTED, seconds);
        results.add(NAME, kind.title(), Metric.PEAK_MEMORY, peak);
        results.curve(memory.curve(NAME, kind.title()));
        scene.say(
            NAME
                + ", "
                + kind.title()
                + ": first new pod after "
                + Metric.RESTARTED.format(seconds)
                + " s, peak "
                + Metric.PEAK_MEMORY.format(peak)
                + " MiB");
      }
      waiting.forEach(scene.desk()::delete);
      ScaleScene.await(
          "the new job is gone",
          () ->
              scene.kubelet().pods(namespace).stream()
                  .filter(pod -> pod.job.startsWith(prefix))
                  .allMatch(pod -> pod.gone != 0));
    }
  }
}
