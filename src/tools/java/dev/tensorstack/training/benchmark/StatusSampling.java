package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lets the packaged operator run jobs, one after the other, and takes down what it says. */
final class StatusSampling {

  private StatusSampling() {}

  /**
   * The status of each job once all of its pods run, on a control plane that is gone afterwards.
   *
   * @param jobs what is submitted, by title
   */
  static List<StatusSample> of(Map<String, ObjectNode> jobs) throws InterruptedException {
    try (ControlPlane controlPlane = ScaleScene.controlPlane(false)) {
      OperatorProcess.installCrds(controlPlane.client());
      ScaleScene.addNode(controlPlane.client(), SwiftKubelet.NODE);
      Api api = Api.ofAdministrator(controlPlane);
      String namespace = controlPlane.createNamespace("status");
      try (SwiftKubelet kubelet =
              SwiftKubelet.start(api, pod -> SwiftKubelet.Course.RUN, SwiftKubelet.Listener.NONE);
          JobDesk desk = new JobDesk(api);
          RunningOperator operator =
              RunningOperator.start(
                  OperatorKind.ofPackaged(),
                  BenchmarkAccount.create(controlPlane, "operator"),
                  namespace,
                  Map.of())) {
        List<StatusSample> samples = new ArrayList<>();
        for (Map.Entry<String, ObjectNode> job : jobs.entrySet()) {
          String name = job.getValue().path("metadata").path("name").asText();
          JobLife life =
              desk.submit(namespace, Map.of(name, job.getValue().toString())).iterator().next();
          ScaleScene.await(
              "all pods of " + job.getKey() + " run; log of the operator: " + operator.log(),
              () -> life.running != 0);
          samples.add(new StatusSample(job.getKey(), job.getValue(), life.status));
        }
        return samples;
      }
    }
  }
}
