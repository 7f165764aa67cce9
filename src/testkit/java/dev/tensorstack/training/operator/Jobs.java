package dev.tensorstack.training.operator;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Jobs of one namespace, for tests: create, look, wait. */
public final class Jobs {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KubernetesClient client;
  private final String namespace;

  /**
   * The jobs of a namespace.
   *
   * @param client an administrator
   * @param namespace the namespace
   */
  public Jobs(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * Where they are.
   *
   * @return the namespace
   */
  public String namespace() {
    return namespace;
  }

  /**
   * Creates a job.
   *
   * @param yaml its manifest
   * @return the job as stored
   */
  public PyTorchTrainingJob create(String yaml) {
    PyTorchTrainingJob job = Serialization.unmarshal(yaml, PyTorchTrainingJob.class);
    return client.resource(job).inNamespace(namespace).create();
  }

  /**
   * A job with one replica type, as most tests need it.
   *
   * @param name the job's name
   * @param replicas pods of type worker
   * @param restartPolicy the restart policy
   * @return the manifest
   */
  public static String simple(String name, int replicas, String restartPolicy) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %s
        spec:
          replicaSpecs:
          - type: worker
            replicas: %d
            restartPolicy: %s
            template:
              spec:
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [python, train.py]
        """
        .formatted(name, replicas, restartPolicy);
  }

  /**
   * The job now.
   *
   * @param name its name
   * @return the job
   */
  public PyTorchTrainingJob get(String name) {
    return Objects.requireNonNull(
        client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName(name).get(),
        "job " + name);
  }

  /**
   * The job now, if there is one.
   *
   * @param name its name
   * @return the job, or null when it does not exist
   */
  public @Nullable PyTorchTrainingJob find(String name) {
    return client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName(name).get();
  }

  /**
   * Changes a job as {@code kubectl patch --type=merge} does.
   *
   * @param name its name
   * @param json the changes; null removes a field
   */
  public void patch(String name, String json) {
    client
        .resources(PyTorchTrainingJob.class)
        .inNamespace(namespace)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), json);
  }

  /**
   * The job's pods, in the order of their names.
   *
   * @param name the job's name
   * @return its pods
   */
  public List<Pod> pods(String name) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(TrainingJobLabels.OWNER_NAME, name)
        .list()
        .getItems()
        .stream()
        .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
        .toList();
  }

  /**
   * The job's events in the order of their first occurrence.
   *
   * @param name the job's name
   * @return its events
   */
  public List<Event> events(String name) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .list()
        .getItems();
  }

  /**
   * The stem of the job's names.
   *
   * @param name the job's name
   * @return {@code <job>-<h>}
   */
  public String base(String name) {
    return JobNames.of(namespace, name, get(name).getMetadata().getUid()).base();
  }

  /**
   * Waits for a status.
   *
   * @param name the job's name
   * @param what what is waited for, for the message
   * @param condition true when it has come
   * @return the job then
   */
  public PyTorchTrainingJob await(
      String name, String what, Predicate<PyTorchTrainingJobStatus> condition) {
    return org.awaitility.Awaitility.await(what + " of " + name)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> get(name), job -> job.getStatus() != null && condition.test(job.getStatus()));
  }

  /**
   * Waits for a phase.
   *
   * @param name the job's name
   * @param phase the phase
   * @return the job then
   */
  public PyTorchTrainingJob awaitPhase(String name, String phase) {
    return await(name, "phase " + phase, status -> phase.equals(status.phase()));
  }

  /**
   * Waits for a number of pods.
   *
   * @param name the job's name
   * @param count how many
   * @return the pods then
   */
  public List<Pod> awaitPods(String name, int count) {
    return org.awaitility.Awaitility.await(count + " pods of " + name)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> pods(name), pods -> pods.size() == count);
  }
}
