package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobLabels;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;

/**
 * What a benchmark knows about one pod. The moments are {@link System#nanoTime()}, 0 for not yet.
 */
final class PodLife {

  final String namespace;
  final String name;
  final String uid;
  final String job;
  final String type;
  final int index;

  private final boolean master;

  /** When the watch brought it. */
  final long created = System.nanoTime();

  /** When the API server had taken its status Running. */
  volatile long running;

  /** When its end was decided on; the report follows. */
  volatile long ending;

  /** When the API server had taken its status Succeeded or Failed. */
  volatile long ended;

  /** When the watch said that its deletion is asked for. */
  volatile long deleting;

  /** When the watch said that it is gone. */
  volatile long gone;

  PodLife(JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    JsonNode labels = metadata.path("labels");
    namespace = metadata.path("namespace").asText();
    name = metadata.path("name").asText();
    uid = metadata.path("uid").asText();
    if (labels.has(PyTorchJobLabels.JOB_NAME)) {
      job = labels.path(PyTorchJobLabels.JOB_NAME).asText();
      type = labels.path(PyTorchJobLabels.REPLICA_TYPE).asText();
      index = labels.path(PyTorchJobLabels.REPLICA_INDEX).asInt();
      master = labels.has(PyTorchJobLabels.JOB_ROLE);
    } else {
      job = labels.path(TrainingJobLabels.OWNER_NAME).asText();
      type = labels.path(TrainingJobLabels.REPLICA_TYPE).asText();
      index = labels.path(TrainingJobLabels.REPLICA_INDEX).asInt();
      master = type.equals("worker") && index == 0;
    }
  }

  /** Whether it is the pod whose success is its job's. */
  boolean isMaster() {
    return master;
  }

  /** Which replica it is, for example {@code job-1/worker-3}. */
  String replica() {
    return job + "/" + type + "-" + index;
  }

  /** Whether it may still do work. */
  boolean live() {
    return ending == 0 && deleting == 0 && gone == 0;
  }
}
