package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a queue says of a job.
 *
 * @param state whether the job may have pods
 * @param words why it may not, as a sentence for people; empty when it may
 * @param shares by type of replica in lower case, what the job was given; empty unless it is
 *     admitted
 */
public record QueueAnswer(State state, String words, Map<String, Share> shares) {

  /** Whether a job may have pods. */
  public enum State {
    /** It waits for its turn, and holds nothing that others wait for. */
    WAITING,
    /** It may have the pods that it was given a share for. */
    ADMITTED,
    /** It is to end its pods: what it holds has been promised to others. */
    LEAVING,
    /** The entry is used up and says nothing any more: the job needs another. */
    FINISHED
  }

  /**
   * What the replicas of one type were given.
   *
   * @param count how many may run; without those whose share was given back
   * @param nodeSelector labels of the nodes that they are to run on
   * @param tolerations taints that they are to tolerate
   * @param labels labels that they are to carry
   * @param annotations annotations that they are to carry
   * @param places where the queue chooses nodes as well: for each replica, in the order of indexes,
   *     labels of the nodes that it is to run on; else empty
   */
  public record Share(
      int count,
      Map<String, String> nodeSelector,
      List<Toleration> tolerations,
      Map<String, String> labels,
      Map<String, String> annotations,
      List<Map<String, String>> places) {}

  /**
   * How many replicas may run.
   *
   * @return the sum of all shares
   */
  public int pods() {
    return shares.values().stream().mapToInt(Share::count).sum();
  }

  /**
   * What the replicas of a type were given.
   *
   * @param type the name of the type
   * @return null when they were given nothing
   */
  public @Nullable Share share(String type) {
    return shares.get(type.toLowerCase(Locale.ROOT));
  }
}
