package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import java.time.Instant;

/**
 * The job as the API server had it at one moment.
 *
 * @param version the resourceVersion
 * @param resource what its user wrote, and its status
 * @param exists false once it is deleted
 * @param stated what the status says
 */
record JobVersion(
    long version, long generation, SimulatedJob resource, boolean exists, Stated stated) {

  static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  static final String UID = "422e8cc7-163f-4d49-9fb8-d059e490a09b";

  TrainingJob job() {
    return resource.read(generation);
  }

  boolean isMaster(ReplicaId replica) {
    return resource.isMaster(replica);
  }

  boolean elastic() {
    return resource.elastic();
  }
}
