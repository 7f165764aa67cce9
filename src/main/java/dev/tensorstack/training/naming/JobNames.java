package dev.tensorstack.training.naming;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The names of everything that belongs to one job. They follow from the job's name and uid alone,
 * so creating an object twice is impossible and a crash between two writes is harmless.
 *
 * @param base the stem of all names: {@code <job>-<h>}, h being the first five hex digits of the
 *     FNV-1a-64 hash of name and uid
 * @param namespace the job's namespace
 */
public record JobNames(String base, String namespace) {

  private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final int HASH_DIGITS = 5;

  /** What the names of TensorBoard's Deployment and Service add to {@link #base}. */
  public static final String TENSORBOARD_SUFFIX = "-tensorboard";

  /**
   * The names of a job.
   *
   * @param namespace the job's namespace
   * @param name the job's name
   * @param uid the job's uid, as the API server gave it
   * @return the names
   */
  public static JobNames of(String namespace, String name, String uid) {
    return new JobNames(name + "-" + hash(name + uid), namespace);
  }

  /**
   * The length that the operator adds to a job's name to make {@link #base}.
   *
   * @return characters
   */
  public static int baseSuffixLength() {
    return HASH_DIGITS + 1;
  }

  private static String hash(String text) {
    long hash = FNV_OFFSET_BASIS;
    for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (octet & 0xff)) * FNV_PRIME;
    }
    return HexFormat.of().toHexDigits(hash).substring(0, HASH_DIGITS);
  }

  /**
   * The headless Service, which is also the pods' subdomain.
   *
   * @return its name
   */
  public String service() {
    return base;
  }

  /**
   * TensorBoard's Deployment and Service.
   *
   * @return {@code <base>-tensorboard}
   */
  public String tensorboard() {
    return base + TENSORBOARD_SUFFIX;
  }

  /**
   * The HorizontalPodAutoscaler.
   *
   * @return its name
   */
  public String autoscaler() {
    return base;
  }

  /**
   * A replica's host name; the same for each of its pods, so that DNS names stay.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return the host name, without a domain
   */
  public String hostName(String type, int index) {
    return base + "-" + type + "-" + index;
  }

  /**
   * A replica's pod.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @param earlierPods how many pods this replica has had before; 0 for the first
   * @return the pod's name
   */
  public String pod(String type, int index, int earlierPods) {
    String first = hostName(type, index);
    return earlierPods == 0 ? first : first + "-r" + earlierPods;
  }

  /**
   * How many pods a replica had before the one of this name: the reverse of {@link #pod}.
   *
   * @param podName the pod's name
   * @param type the replica type
   * @param index the index in the type
   * @return 0 for the first pod, and for a name that is not of this replica
   */
  public int earlierPods(String podName, String type, int index) {
    String prefix = hostName(type, index) + "-r";
    if (!podName.startsWith(prefix)) {
      return 0;
    }
    try {
      return Integer.parseInt(podName.substring(prefix.length()));
    } catch (NumberFormatException notOurs) {
      return 0;
    }
  }

  /**
   * The DNS name under which the pods of a job reach a replica.
   *
   * @param type the replica type
   * @param index the index in the type, from 0
   * @return {@code <host>.<service>.<namespace>.svc}
   */
  public String address(String type, int index) {
    return hostName(type, index) + "." + service() + "." + namespace + ".svc";
  }
}
