package dev.tensorstack.training.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What an API server can judge a pod by. The pods of a hundred jobs from one template, and those of
 * a master and its workers, differ in names that the operator gives, and in the arguments and
 * variables that users change from job to job: any text is valid there.
 */
final class PodLikeness {

  private static final String SOME_TEXT = "x";

  private PodLikeness() {}

  /**
   * Makes a key that two pods share when an API server cannot find one valid and the other not.
   *
   * @param pod a pod that was made for a replica
   * @param job its job
   * @param replica the replica
   * @param serialization writes pods
   * @return a digest of the pod, without the names and labels that tell it from others of its job
   *     and of jobs like it, and without commands, arguments and the texts of variables
   */
  static String of(
      Pod pod, TrainingJob job, ReplicaId replica, KubernetesSerialization serialization) {
    ObjectNode likeness = serialization.convertValue(pod, ObjectNode.class);
    if (likeness.path("metadata") instanceof ObjectNode metadata) {
      metadata.remove(List.of("name", "ownerReferences"));
      if (metadata.path("labels") instanceof ObjectNode labels) {
        pod.getMetadata().getLabels().keySet().stream()
            .filter(job.labels()::isOperators)
            .forEach(labels::remove);
      }
    }
    if (likeness.path("spec") instanceof ObjectNode spec) {
      // A template of some kinds may have such names of its own; they are judged.
      String host = job.names().hostName(replica.type(), replica.index());
      removeIf(spec, "hostname", host);
      removeIf(spec, "subdomain", job.names().service());
      spec.path("initContainers").forEach(PodLikeness::leaveOutTexts);
      spec.path("containers").forEach(PodLikeness::leaveOutTexts);
    }
    return digest(likeness.toString());
  }

  private static void removeIf(ObjectNode object, String field, String value) {
    if (object.path(field).asText().equals(value)) {
      object.remove(field);
    }
  }

  private static void leaveOutTexts(JsonNode node) {
    if (node instanceof ObjectNode container) {
      container.remove(List.of("command", "args"));
      for (JsonNode variable : container.path("env")) {
        // Whether there is one is judged: beside valueFrom there must be none.
        if (variable instanceof ObjectNode entry && !entry.path("value").asText().isEmpty()) {
          entry.put("value", SOME_TEXT);
        }
      }
    }
  }

  private static String digest(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException never) {
      throw new IllegalStateException("each Java platform has SHA-256", never);
    }
  }
}
