package dev.tensorstack.training.tryout;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;

/**
 * What the try-out has to know of a kind of jobs to follow one.
 *
 * @param <J> the Java type of the kind
 */
interface FollowedKind<J extends HasMetadata> {

  /** The Java type of the kind. */
  Class<J> type();

  /** What {@code kubectl} calls the kind, as short as it can be. */
  String word();

  /** What {@code kubectl events --for} calls the kind, which knows no short names. */
  String resource();

  /** The label of a job's pods that holds the job's name. */
  String jobLabel();

  /**
   * The place of a pod in its job.
   *
   * @param pod a pod with the {@link #jobLabel}
   * @return type and index of the replica, such as {@code worker-0}; empty for a pod that is none,
   *     such as TensorBoard's
   */
  String replica(Pod pod);

  /**
   * The container whose log is shown.
   *
   * @param pod a pod of a job
   * @return its name
   */
  String container(Pod pod);

  /**
   * How a job is, in one line.
   *
   * @param job the job, possibly without a status
   * @return a text that changes whenever there is something new to say
   */
  String state(J job);

  /**
   * Whether a job has ended.
   *
   * @param job the job, possibly without a status
   * @return true for good and for bad
   */
  boolean ended(J job);

  /**
   * Whether a job has ended well.
   *
   * @param job a job that has ended
   * @return false when it failed
   */
  boolean succeeded(J job);

  /**
   * Why a job failed.
   *
   * @param job a job that failed
   * @return the message of its Failed condition
   */
  String failure(J job);
}
