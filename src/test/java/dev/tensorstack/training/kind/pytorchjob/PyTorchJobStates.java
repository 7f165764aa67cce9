package dev.tensorstack.training.kind.pytorchjob;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** PyTorchJobs in each state that others look at, as this operator and Kubeflow's leave them. */
public final class PyTorchJobStates {

  private static final String SPEC =
      """
      runPolicy: {suspend: %s}
      pytorchReplicaSpecs:
        Master:
          restartPolicy: ExitCode
          template: {spec: {containers: [{name: pytorch, image: i}]}}
        Worker:
          restartPolicy: ExitCode
          template: {spec: {containers: [{name: pytorch, image: i}]}}
      """;
  private static final String RUNS = SPEC.formatted(false);
  private static final String SUSPENDED = SPEC.formatted(true);

  private PyTorchJobStates() {}

  /**
   * All of them.
   *
   * @return the jobs by the name of their state
   */
  public static Map<String, PyTorchJob> all() {
    Map<String, PyTorchJob> states = new LinkedHashMap<>();
    states.put("new", Scene.of(RUNS).stored());
    states.put("created", Scene.of(RUNS).settle().stored());
    states.put("suspended at creation", Scene.of(SUSPENDED).settle().stored());
    states.put("running", running().stored());

    Scene scaled = running();
    scaled.edit(RUNS.replace("  Worker:", "  Worker:\n    replicas: 2"));
    states.put("edited", scaled.stored());

    Scene restarting = running();
    restarting.exit("mnist-master-0", 137);
    states.put("restarting", restarting.settle().stored());

    Scene suspended = running();
    suspended.edit(SUSPENDED);
    states.put("suspended", suspended.settle().stored());
    suspended.edit(RUNS);
    states.put("resumed", suspended.settle().stored());

    Scene succeeded = running();
    succeeded.exit("mnist-master-0", 0);
    states.put("succeeded", succeeded.settle().stored());

    Scene failed = running();
    failed.exit("mnist-worker-0", 1);
    states.put("failed", failed.settle().stored());

    for (String name :
        List.of(
            "suspended-at-creation",
            "running",
            "restarting",
            "suspended-after-running",
            "succeeded",
            "failed")) {
      states.put("Kubeflow's " + name.replace('-', ' '), Scene.taken(name).stored());
    }
    return states;
  }

  private static Scene running() {
    Scene scene = Scene.of(RUNS).settle();
    scene.allRun();
    return scene.settle();
  }
}
