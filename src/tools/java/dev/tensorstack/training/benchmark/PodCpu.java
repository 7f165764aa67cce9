package dev.tensorstack.training.benchmark;

/**
 * Takes down who has used how much CPU for a number of pods.
 *
 * @param results where it is taken down
 * @param scenario of which scenario
 * @param client whose round it is
 * @param pods how many pods share it
 */
record PodCpu(Measurements results, String scenario, String client, int pods) {

  private static final double MILLIS = 1_000;

  /**
   * Until all pods ran.
   *
   * @param used CPU seconds of all but the operator
   * @param clientSeconds CPU seconds of the operator, or of the client that creates the pods itself
   */
  void untilAllRun(ScaleScene.Cpu used, double clientSeconds) {
    add(Metric.RUN_API_CPU, used.apiServer());
    add(Metric.RUN_ETCD_CPU, used.etcd());
    add(Metric.RUN_MANAGER_CPU, used.controllerManager());
    add(Metric.RUN_KUBELET_CPU, used.kubelet());
    add(Metric.RUN_CLIENT_CPU, clientSeconds);
  }

  /** The whole life, the operator's own apart. */
  void wholeLife(ScaleScene.Cpu used) {
    add(Metric.LIFE_API_CPU, used.apiServer());
    add(Metric.LIFE_ETCD_CPU, used.etcd());
    add(Metric.LIFE_MANAGER_CPU, used.controllerManager());
    add(Metric.LIFE_KUBELET_CPU, used.kubelet());
  }

  private void add(Metric metric, double seconds) {
    results.add(scenario, client, metric, seconds * MILLIS / pods);
  }
}
