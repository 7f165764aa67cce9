package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.function.Predicate;

/** Scenario E: one of 64 pods fails, in both scopes. */
final class ReplacementScenario {

  private static final String NAME = "E";
  private static final int WARM_UPS = 2;
  private static final int VICTIM = 7;

  private final ScaleScene scene;
  private final Measurements results;
  private final int pods;
  private int number;

  ReplacementScenario(ScaleScene scene, Measurements results, int pods) {
    this.scene = scene;
    this.results = results;
    this.pods = pods;
  }

  void run(List<OperatorKind> kinds, int rounds) throws InterruptedException {
    scene.inTurns(
        kinds,
        WARM_UPS,
        rounds,
        (operator, counts) -> {
          replica(operator, counts);
          whole(operator, counts);
        });
  }

  private void replica(RunningOperator operator, boolean counts) throws InterruptedException {
    String namespace = operator.namespace();
    List<JobLife> jobs = running(operator, "Replica");
    PodLife victim = victim(namespace);
    scene.kubelet().end(List.of(victim), SwiftKubelet.End.FAILURE);
    Predicate<PodLife> replacement =
        pod -> pod.index == victim.index && !pod.uid.equals(victim.uid);
    ScaleScene.await(
        "the replacement runs; log of the operator: " + operator.process().log(),
        () -> scene.kubelet().count(namespace, replacement.and(pod -> pod.running != 0)) > 0);
    PodLife next =
        scene.kubelet().pods(namespace).stream().filter(replacement).findFirst().orElseThrow();
    double created = Percentile.seconds(next.created - victim.ended);
    if (counts) {
      results.add(NAME, operator.client(), Metric.REPLACED, created);
      results.add(
          NAME,
          operator.client(),
          Metric.REPLACED_RUNS,
          Percentile.seconds(next.running - victim.ended));
      scene.say(
          NAME
              + ", "
              + operator.client()
              + ": replacement created after "
              + Metric.REPLACED.format(created)
              + " s");
    }
    scene.clear(namespace, jobs);
    scene.forget(namespace);
  }

  private void whole(RunningOperator operator, boolean counts) throws InterruptedException {
    String namespace = operator.namespace();
    List<JobLife> jobs = running(operator, "Job");
    List<PodLife> before = scene.kubelet().pods(namespace);
    PodLife victim = victim(namespace);
    scene.kubelet().end(List.of(victim), SwiftKubelet.End.FAILURE);
    Predicate<PodLife> next = pod -> pod.running != 0 && !before.contains(pod);
    ScaleScene.await(
        "all pods run again; log of the operator: " + operator.process().log(),
        () -> scene.kubelet().count(namespace, next) >= pods);
    long end =
        scene.kubelet().pods(namespace).stream()
            .filter(next)
            .mapToLong(pod -> pod.running)
            .max()
            .orElseThrow();
    double seconds = Percentile.seconds(end - victim.ended);
    if (counts) {
      results.add(NAME, operator.client(), Metric.RECREATED, seconds);
      scene.say(
          NAME
              + ", "
              + operator.client()
              + ": all run again after "
              + Metric.RECREATED.format(seconds)
              + " s");
    }
    scene.clear(namespace, jobs);
    scene.forget(namespace);
  }

  /** A job that has said that it runs, and an operator that has nothing more to do. */
  private List<JobLife> running(RunningOperator operator, String scope)
      throws InterruptedException {
    number++;
    List<JobLife> jobs =
        scene
            .desk()
            .submit(
                operator.namespace(),
                ScaleScene.manifests(
                    "e" + number + "-",
                    1,
                    pods,
                    "\"runPolicy\":{\"restartScope\":\"" + scope + "\"},"));
    ScaleScene.await(
        "the job runs; log of the operator: " + operator.process().log(),
        () -> jobs.stream().allMatch(job -> job.running != 0));
    scene.awaitQuiet(operator);
    return jobs;
  }

  private PodLife victim(String namespace) {
    return scene.kubelet().pods(namespace).stream()
        .filter(pod -> pod.index == Math.min(VICTIM, pods - 1) && pod.live())
        .findFirst()
        .orElseThrow();
  }
}
