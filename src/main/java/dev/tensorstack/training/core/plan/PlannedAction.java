package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A write that the plan asks for. */
public sealed interface PlannedAction {

  /**
   * What is done to which object, as refusals are told by it.
   *
   * @param job the job
   * @return the write; null for one that has tries of its own
   */
  @Nullable ObjectWrite write(TrainingJob job);

  /**
   * Create a headless Service.
   *
   * @param name its name
   * @param replica the replica that it is for; null for the one of all pods
   */
  record CreateService(String name, @Nullable ReplicaId replica) implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.of(ObjectKind.SERVICE, name);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other || (other instanceof CreateService that && name.equals(that.name));
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }
  }

  /**
   * Create a replica's pod.
   *
   * @param replica the replica
   * @param name the pod's name
   * @param earlierPods how many pods the replica has had before
   * @param attempt the attempt it belongs to
   * @param mode what it is for
   */
  record CreatePod(ReplicaId replica, String name, int earlierPods, int attempt, RunModeKind mode)
      implements PlannedAction {

    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.pod(name);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof CreatePod that
              && Objects.equals(replica, that.replica)
              && Objects.equals(name, that.name)
              && earlierPods == that.earlierPods
              && attempt == that.attempt
              && mode == that.mode);
    }

    @Override
    public int hashCode() {
      return Objects.hashCode(name);
    }
  }

  /**
   * Delete a pod.
   *
   * @param name the pod's name
   * @param uid the pod's uid: a namesake is not meant
   * @param atOnce whether the API server forgets it at once, with a grace period of 0: its node
   *     does not answer, and its name is needed
   */
  record DeletePod(String name, String uid, boolean atOnce) implements PlannedAction {

    /**
     * Delete a pod, with its own grace period.
     *
     * @param name the pod's name
     * @param uid the pod's uid: a namesake is not meant
     */
    public DeletePod(String name, String uid) {
      this(name, uid, false);
    }

    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.podDeletion(name);
    }
  }

  /**
   * Have a pod ended by its kubelet: it gets SIGTERM, and stays for its log.
   *
   * @param name the pod's name
   * @param uid the pod's uid: a namesake is not meant
   */
  record EndPod(String name, String uid) implements PlannedAction {
    @Override
    public @Nullable ObjectWrite write(TrainingJob job) {
      return null;
    }
  }

  /**
   * Take a pod out of the job's Service: it was given up with its node, and nobody shall meet it
   * any more.
   *
   * @param name the pod's name
   * @param uid the pod's uid: a namesake is not meant
   */
  record UnpublishPod(String name, String uid) implements PlannedAction {
    @Override
    public @Nullable ObjectWrite write(TrainingJob job) {
      return null;
    }
  }

  /**
   * Make an object beside the pods as it is wanted.
   *
   * @param kind its kind
   * @param object the object, without anything that others shall decide on; with the uid of the
   *     present one when there is one: a namesake is not meant
   */
  record ApplyDependent(ObjectKind kind, GenericKubernetesResource object)
      implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.of(kind, object.getMetadata().getName());
    }
  }

  /**
   * Write fields of the status of an object beside the pods.
   *
   * @param kind its kind
   * @param name its name
   * @param uid its uid: a namesake is not meant
   * @param resourceVersion the version that the fields follow from: another is not meant
   * @param status the fields, null for one that is to go
   */
  record WriteStatus(
      ObjectKind kind, String name, String uid, String resourceVersion, Map<String, Object> status)
      implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.of(kind, name);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof WriteStatus that
              && uid.equals(that.uid)
              && resourceVersion.equals(that.resourceVersion)
              && status.keySet().equals(that.status.keySet()));
    }

    @Override
    public int hashCode() {
      return uid.hashCode();
    }
  }

  /**
   * Change nothing but an annotation of a PodGroup, so that its scheduler looks at gangs again.
   *
   * @param kind its kind
   * @param name its name
   * @param uid its uid: a namesake is not meant
   * @param at the time that the annotation tells
   */
  record WakeGang(ObjectKind kind, String name, String uid, Instant at) implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.of(kind, name);
    }
  }

  /**
   * Delete an object beside the pods.
   *
   * @param kind its kind
   * @param name its name
   * @param uid its uid: a namesake is not meant
   */
  record DeleteDependent(ObjectKind kind, String name, String uid) implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.deletion(kind, name);
    }
  }

  /**
   * Delete the job itself, and with it all that it owns.
   *
   * @param uid the job's uid: a namesake is not meant
   */
  record DeleteJob(String uid) implements PlannedAction {
    @Override
    public ObjectWrite write(TrainingJob job) {
      return ObjectWrite.jobDeletion(job.name());
    }
  }
}
