package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Creates jobs of two types, some at a time, and takes the time of each, or of all. */
final class JobCreations implements AutoCloseable {

  private static final double NANOS = 1_000_000;
  private static final int MILLIS = 1_000;

  private static final String JOB =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: job-%d
      spec:
        torchrunConfig: {enabled: true, procPerNode: 8}
        runPolicy: {backoffLimit: 5}
        replicaSpecs:
        - type: master
          template:
            spec:
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py, --epochs=3]
                env: [{name: NCCL_DEBUG, value: INFO}]
                resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}}
                volumeMounts: [{name: data, mountPath: /data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
        - type: worker
          replicas: 3
          restartPolicy: OnFailure
          template:
            spec:
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py, --epochs=3]
                env: [{name: NCCL_DEBUG, value: INFO}]
                resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}}
                volumeMounts: [{name: data, mountPath: /data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
      """;

  private final KubernetesClient client;
  private final Api api;
  private final ExecutorService threads;

  JobCreations(KubernetesClient client, Api api, int parallel) {
    this.client = client;
    this.api = api;
    this.threads = Executors.newFixedThreadPool(parallel);
  }

  /** The milliseconds that each of some creations took; the jobs are deleted afterwards. */
  List<Double> create(String namespace, int count) throws InterruptedException {
    List<Future<Double>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GenericKubernetesResource job = job(i);
      started.add(
          threads.submit(
              () -> {
                long begin = System.nanoTime();
                client.resource(job).inNamespace(namespace).create();
                return (System.nanoTime() - begin) / NANOS;
              }));
    }
    List<Double> millis = new ArrayList<>();
    for (Future<Double> one : started) {
      try {
        millis.add(one.get());
      } catch (ExecutionException refused) {
        throw new IllegalStateException("a job was not created", refused.getCause());
      }
    }
    deleteAll(namespace);
    return millis;
  }

  /**
   * The seconds from the first request to the last answer; the client does nothing but send and
   * receive bytes. The jobs stay.
   */
  double submit(String namespace, int count) {
    String path = JobResource.PYTORCH_TRAINING_JOB.path(namespace);
    List<byte[]> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(Serialization.asJson(job(i)).getBytes(UTF_8));
    }
    long begin = System.nanoTime();
    List<CompletableFuture<Api.Answer>> answers = new ArrayList<>();
    for (byte[] job : jobs) {
      answers.add(
          CompletableFuture.supplyAsync(() -> api.post(path, job).orThrow("a creation"), threads));
    }
    answers.forEach(CompletableFuture::join);
    return (System.nanoTime() - begin) / NANOS / MILLIS;
  }

  private static GenericKubernetesResource job(int number) {
    return Serialization.unmarshal(JOB.formatted(number), GenericKubernetesResource.class);
  }

  /** Deletes all jobs of a namespace. */
  void deleteAll(String namespace) {
    client.resources(PyTorchTrainingJob.class).inNamespace(namespace).delete();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
