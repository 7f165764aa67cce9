package dev.tensorstack.training.core.dependents;

import dev.tensorstack.training.core.model.Tensorboard;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The Deployment and the Service that serve a job's logs (docs/concepts.md, TensorBoard). */
public final class TensorboardFactory {

  private TensorboardFactory() {}

  /**
   * What a job's TensorBoard consists of.
   *
   * @param job the job, without violations
   * @return the Deployment, with no pods while it is suspended, and the Service; empty when the job
   *     asks for no TensorBoard
   */
  public static List<GenericKubernetesResource> objects(TrainingJob job) {
    Tensorboard tensorboard = job.spec().tensorboard();
    if (tensorboard == null) {
      return List.of();
    }
    String name = job.names().tensorboard();
    return List.of(
        DependentObject.of(job, ObjectKind.DEPLOYMENT, name, deployment(job, tensorboard)),
        DependentObject.of(job, ObjectKind.SERVICE, name, service(job)));
  }

  private static Map<String, Object> deployment(TrainingJob job, Tensorboard tensorboard) {
    Map<String, Object> labels = new LinkedHashMap<>(selector(job));
    labels.put(Labels.MANAGED_BY, Labels.OPERATOR);
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("replicas", tensorboard.suspend() ? 0 : 1);
    spec.put("selector", Map.of("matchLabels", selector(job)));
    // Two at once could not mount a volume that only one node may have.
    spec.put("strategy", Map.of("type", "Recreate"));
    spec.put("revisionHistoryLimit", 1);
    spec.put(
        "template",
        Map.of(
            "metadata",
            Map.of("labels", labels),
            "spec",
            new TensorboardPod(job, tensorboard).spec()));
    return spec;
  }

  private static Map<String, Object> service(TrainingJob job) {
    return Map.of(
        "selector",
        selector(job),
        "ports",
        List.of(
            Map.of(
                "name",
                "http",
                "port",
                Ports.TENSORBOARD,
                "targetPort",
                Ports.TENSORBOARD,
                "protocol",
                "TCP")));
  }

  /** None of the labels that training pods have: they must not be taken for one. */
  private static Map<String, Object> selector(TrainingJob job) {
    Map<String, Object> labels = new LinkedHashMap<>();
    labels.put(Labels.APPLICATION, Labels.TENSORBOARD);
    labels.put(Labels.INSTANCE, job.names().instance());
    return labels;
  }
}
