package dev.tensorstack.training.kind.trainingjob.spec;

import dev.tensorstack.training.core.naming.JobNaming;
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
public record JobNames(String base, String namespace) implements JobNaming {

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

  @Override
  public String instance() {
    return base;
  }

  @Override
  public String podGroup() {
    return base;
  }

  @Override
  public String service() {
    return base;
  }

  @Override
  public String tensorboard() {
    return base + TENSORBOARD_SUFFIX;
  }

  @Override
  public String autoscaler() {
    return base;
  }

  @Override
  public String hostName(String type, int index) {
    return base + "-" + type + "-" + index;
  }

  @Override
  public String pod(String type, int index, int earlierPods) {
    String first = hostName(type, index);
    return earlierPods == 0 ? first : first + "-r" + earlierPods;
  }

  @Override
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

  @Override
  public String address(String type, int index) {
    return hostName(type, index) + "." + service() + "." + namespace + ".svc";
  }
}
