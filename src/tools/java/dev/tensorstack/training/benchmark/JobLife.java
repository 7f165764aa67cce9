package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * What a benchmark knows about one job. The moments are {@link System#nanoTime()}, 0 for not yet.
 */
final class JobLife {

  final JobResource resource;
  final String namespace;
  final String name;

  /** When its creation was sent; 0 when somebody else has created it. */
  volatile long submitted;

  /** When its creation was answered. */
  volatile long accepted;

  /** When the watch first brought the phase Running, see {@link JobResource#phase}. */
  volatile long running;

  /** When the watch first brought the phase Succeeded or Failed. */
  volatile long finished;

  /** When the watch said that it is gone. */
  volatile long gone;

  /** Its status as the watch brought it last. */
  volatile JsonNode status = MissingNode.getInstance();

  JobLife(JobResource resource, String namespace, String name) {
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
  }

  void seen(JsonNode job) {
    status = job.path("status");
    String phase = resource.phase(job);
    if (running == 0 && phase.equals("Running")) {
      running = System.nanoTime();
    }
    if (finished == 0 && (phase.equals("Succeeded") || phase.equals("Failed"))) {
      finished = System.nanoTime();
    }
  }

  String phase() {
    if (status.has("phase")) {
      return status.path("phase").asText();
    }
    // A PyTorchJob has conditions only; the last one that is true says how it is.
    String state = "";
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("status").asText().equals("True")) {
        state = condition.path("type").asText();
      }
    }
    return state;
  }
}
