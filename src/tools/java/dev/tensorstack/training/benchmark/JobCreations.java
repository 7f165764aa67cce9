package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Creates jobs of two types, some at a time, and takes the time of each. */
final class JobCreations implements AutoCloseable {

  private static final double NANOS = 1_000_000;

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
  private final ExecutorService threads;

  JobCreations(KubernetesClient client, int parallel) {
    this.client = client;
    this.threads = Executors.newFixedThreadPool(parallel);
  }

  /** The milliseconds that each of some creations took; the jobs are deleted afterwards. */
  List<Double> create(String namespace, int count) throws InterruptedException {
    List<Future<Double>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GenericKubernetesResource job =
          Serialization.unmarshal(JOB.formatted(i), GenericKubernetesResource.class);
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
    client.resources(PyTorchTrainingJob.class).inNamespace(namespace).delete();
    return millis;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
