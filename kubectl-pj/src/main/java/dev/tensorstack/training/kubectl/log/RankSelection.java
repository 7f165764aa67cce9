package dev.tensorstack.training.kubectl.log;

import dev.tensorstack.training.kubectl.job.RankedPod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose logs are read.
 *
 * @param ranks the ranks; null for all
 * @param attempt the attempt, from 0; null for each rank's latest pod
 */
public record RankSelection(@Nullable List<Integer> ranks, @Nullable Integer attempt) {

  /**
   * Whether lines have to say whose they are.
   *
   * @return false when there can be only one rank
   */
  public boolean isForMany() {
    return ranks == null || ranks.size() > 1;
  }

  /**
   * Whether a pod may be read.
   *
   * @param pod a pod of the job
   * @return whether its rank and its attempt are wanted
   */
  public boolean matches(RankedPod pod) {
    return (ranks == null || ranks.contains(pod.rank()))
        && (attempt == null || attempt == pod.attempt());
  }

  /**
   * The pods to read.
   *
   * @param pods all pods of the job, those of one rank from the first to the latest
   * @return of each rank that is wanted the latest pod that matches, by rank
   */
  public List<RankedPod> of(List<RankedPod> pods) {
    Map<String, RankedPod> chosen = new LinkedHashMap<>();
    for (RankedPod pod : pods) {
      if (matches(pod)) {
        chosen.put(pod.replica(), pod);
      }
    }
    return new ArrayList<>(chosen.values());
  }

  /**
   * The pods before the present ones.
   *
   * @param pods all pods of the job, those of one rank from the first to the latest
   * @return of each rank that is wanted the pod before the one that {@link #of} chooses, by rank
   */
  public List<RankedPod> previousOf(List<RankedPod> pods) {
    List<RankedPod> latest = of(pods);
    List<RankedPod> earlier =
        pods.stream().filter(pod -> !latest.contains(pod) && isBefore(pod, latest)).toList();
    return of(earlier);
  }

  private static boolean isBefore(RankedPod pod, List<RankedPod> latest) {
    return latest.stream()
        .anyMatch(one -> one.replica().equals(pod.replica()) && pod.attempt() <= one.attempt());
  }
}
