package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;

/**
 * The job that an event is about.
 *
 * @param kind the kind of the job
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 * @param instance the stem of the names of its events
 */
record EventTarget(ObjectKind kind, String namespace, String name, String uid, String instance) {

  static EventTarget of(TrainingJob job) {
    return new EventTarget(
        job.kind(), job.namespace(), job.name(), job.uid(), job.names().instance());
  }

  /** A job that may be one that cannot be read. */
  static <R extends CustomResource<?, ?>> EventTarget of(JobKind<R> kind, R resource) {
    ObjectMeta metadata = resource.getMetadata();
    return new EventTarget(
        kind.kind(),
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        kind.names(metadata.getNamespace(), metadata.getName(), metadata.getUid()).instance());
  }
}
