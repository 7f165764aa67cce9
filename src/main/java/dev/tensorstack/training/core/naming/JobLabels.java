package dev.tensorstack.training.core.naming;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The labels of what belongs to one job: those by which the operator, and users, find it. Each kind
 * of job has labels of its own.
 */
public interface JobLabels {

  /**
   * What a pod is for, as its labels say.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @param attempt the attempt that it belongs to, from 0
   * @param mode the label of its run mode; null for plain training
   * @param earlierPods how many pods the replica had before it; null where labels do not say it,
   *     because the pod's name does
   */
  record PodRole(
      String type, int index, int attempt, @Nullable String mode, @Nullable Integer earlierPods) {}

  /**
   * The labels of each object of the job.
   *
   * @return labels in the order in which they are written
   */
  Map<String, String> ofObjects();

  /**
   * The labels of a pod.
   *
   * @param role what the pod is for
   * @param master whether it is the master's
   * @return labels in the order in which they are written
   */
  Map<String, String> ofPod(PodRole role, boolean master);

  /**
   * What a pod is for: the reverse of {@link #ofPod}.
   *
   * @param labels the pod's labels
   * @return null when they name no replica
   */
  @Nullable PodRole roleOf(Map<String, String> labels);

  /**
   * Whether only the operator may set a label on a job's pods.
   *
   * @param label the label's key
   * @return true for those by which it knows its pods
   */
  boolean isOperators(String label);

  /**
   * The labels by which the Service selects the job's pods.
   *
   * @return labels that only pods of this job have
   */
  Map<String, String> ofPublished();

  /**
   * The labels of the Service of one replica, by which it selects that replica's pods.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return labels that only pods of this replica have; those of all pods in kinds that have one
   *     Service for all
   */
  default Map<String, String> ofReplica(String type, int index) {
    return ofPublished();
  }

  /**
   * The labels that take a pod out of the Service: it was given up with its node.
   *
   * @return labels to be set on the pod, by which the operator still finds it
   */
  Map<String, String> ofUnpublished();

  /**
   * A label by whose key and values all pods of the job are found, those that are not published
   * too.
   *
   * @return the key and its values
   */
  Map.Entry<String, List<String>> ofAllPods();
}
