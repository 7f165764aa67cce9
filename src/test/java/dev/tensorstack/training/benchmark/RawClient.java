package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Creates pods that lie ready as bytes and does not read the answers: what no operator can be
 * faster than.
 */
final class RawClient {

  private final Api api;

  /** A bare client as a user. */
  RawClient(Api api) {
    this.api = api;
  }

  /**
   * The pods that the operator would create for jobs that do not exist, as bytes.
   *
   * @param owner the job that owns them instead; without an owner that exists they are collected
   */
  static List<byte[]> podsOf(
      Map<String, String> manifests, String namespace, PyTorchTrainingJob owner) {
    List<byte[]> bodies = new ArrayList<>();
    for (String manifest : manifests.values()) {
      PyTorchTrainingJob job = Serialization.unmarshal(manifest, PyTorchTrainingJob.class);
      job.getMetadata().setNamespace(namespace);
      job.getMetadata().setUid(UUID.randomUUID().toString());
      job.getMetadata().setGeneration(1L);
      job.getMetadata().setCreationTimestamp(Instant.now().toString());
      for (Pod pod : BareClient.podsOf(job)) {
        for (OwnerReference reference : pod.getMetadata().getOwnerReferences()) {
          reference.setName(owner.getMetadata().getName());
          reference.setUid(owner.getMetadata().getUid());
        }
        bodies.add(Serialization.asJson(pod).getBytes(UTF_8));
      }
    }
    return bodies;
  }

  /**
   * Creates pods, so many at once, and waits for the last answer.
   *
   * @return the moment of the answer to each creation, by the pod's name in the answer
   */
  Map<String, Long> create(String namespace, List<byte[]> pods, int parallelism) {
    String path = "/api/v1/namespaces/" + namespace + "/pods";
    Map<String, Long> answered = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(parallelism);
    try {
      List<CompletableFuture<?>> answers = new ArrayList<>();
      for (byte[] pod : pods) {
        answers.add(
            CompletableFuture.runAsync(
                () -> {
                  String body =
                      Api.insist("the creation of a pod", () -> api.post(path, pod)).body();
                  answered.put(nameIn(body), System.nanoTime());
                },
                threads));
      }
      answers.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
    return answered;
  }

  /** The first name in a pod is its own. */
  private static String nameIn(String body) {
    String field = "\"name\":\"";
    int begin = body.indexOf(field) + field.length();
    return body.substring(begin, body.indexOf('"', begin));
  }

  /** Deletes all pods of a namespace without waiting for a kubelet. */
  void deleteAll(String namespace) {
    Api.Answer unused =
        Api.insist(
            "the deletion of all pods",
            () ->
                api.delete(
                    "/api/v1/namespaces/" + namespace + "/pods", "{\"gracePeriodSeconds\":0}"));
  }
}
