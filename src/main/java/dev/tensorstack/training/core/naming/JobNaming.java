package dev.tensorstack.training.core.naming;

/**
 * The names of everything that belongs to one job. They follow from the job alone, so creating an
 * object twice is impossible and a crash between two writes is harmless. Each kind of job has names
 * of its own.
 */
public interface JobNaming {

  /**
   * One name for all that belongs to the job, unique in its namespace: the stem of the names of its
   * events, and the value of the label {@code app.kubernetes.io/instance}.
   *
   * @return a DNS label
   */
  String instance();

  /**
   * The name of the PodGroup, and of the group that its pods join.
   *
   * @return its name
   */
  String podGroup();

  /**
   * The job's entry in its queue.
   *
   * @param number 1 for the entry that the job starts with; more for those by which it grows
   * @return its name
   */
  default String queueEntry(int number) {
    return number == 1 ? instance() : instance() + "-" + number;
  }

  /**
   * The headless Service, which is also the pods' subdomain.
   *
   * @return its name
   */
  String service();

  /**
   * The headless Service of one replica, in kinds that have one for each.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return its name
   */
  default String replicaService(String type, int index) {
    return hostName(type, index);
  }

  /**
   * The HorizontalPodAutoscaler.
   *
   * @return its name
   */
  String autoscaler();

  /**
   * TensorBoard's Deployment and Service.
   *
   * @return their name
   */
  String tensorboard();

  /**
   * A replica's host name; the same for each of its pods, so that DNS names stay.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return the host name, without a domain
   */
  String hostName(String type, int index);

  /**
   * A replica's pod.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @param earlierPods how many pods this replica has had before; 0 for the first
   * @return the pod's name
   */
  String pod(String type, int index, int earlierPods);

  /**
   * How many pods a replica had before the one of this name: the reverse of {@link #pod}.
   *
   * @param podName the pod's name
   * @param type the replica type
   * @param index the index in the type
   * @return 0 for the first pod, and for a name that is not of this replica
   */
  int earlierPods(String podName, String type, int index);

  /**
   * The DNS name under which the pods of a job reach a replica.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return a name that resolves in the cluster
   */
  String address(String type, int index);
}
