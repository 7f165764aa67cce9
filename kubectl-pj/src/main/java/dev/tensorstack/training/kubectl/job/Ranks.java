package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Gives pods their ranks: the order of types in the spec, then the index. */
public final class Ranks {

  private static final Comparator<RankedPod> LATEST_LAST =
      Comparator.comparingInt(RankedPod::attempt)
          .thenComparing(pod -> Objects.requireNonNullElse(pod.created(), Instant.EPOCH))
          .thenComparingInt(pod -> pod.name().length())
          .thenComparing(RankedPod::name);

  private Ranks() {}

  /**
   * The pods of a job.
   *
   * @param job the job
   * @param pods what the API server lists for the job's selector; pods of an earlier job of the
   *     same name, and what is no replica, are left out
   * @return the pods by rank, those of one rank from the first to the latest
   */
  public static List<RankedPod> of(Job job, List<Tree> pods) {
    Map<String, Integer> offsets = offsets(job);
    List<RankedPod> found = new ArrayList<>();
    for (Tree pod : pods) {
      Map<String, Tree> labels = pod.fields("metadata", "labels");
      String type = text(labels, job.kind().typeLabel());
      Tree index = labels.getOrDefault(job.kind().indexLabel(), Tree.of(null));
      if (type == null || index.number() == null || !belongs(job, pod)) {
        continue;
      }
      int attempt = labels.getOrDefault(JobKind.ATTEMPT_LABEL, Tree.of(0)).count();
      int rank = offsets.getOrDefault(type, 0) + index.count();
      found.add(new RankedPod(rank, type, index.count(), attempt, false, pod));
    }
    Map<String, RankedPod> latest = new HashMap<>();
    for (RankedPod pod : found) {
      latest.merge(
          pod.replica(), pod, (one, other) -> LATEST_LAST.compare(one, other) > 0 ? one : other);
    }
    return found.stream()
        .map(
            pod ->
                new RankedPod(
                    pod.rank(),
                    pod.type(),
                    pod.index(),
                    pod.attempt(),
                    pod.equals(latest.get(pod.replica())),
                    pod.pod()))
        .sorted(Comparator.comparingInt(RankedPod::rank).thenComparing(LATEST_LAST))
        .toList();
  }

  private static Map<String, Integer> offsets(Job job) {
    Map<String, Integer> offsets = new HashMap<>();
    int next = 0;
    for (ReplicaType type : job.spec().types()) {
      offsets.put(type.name(), next);
      next += job.replicas(type);
    }
    return offsets;
  }

  private static boolean belongs(Job job, Tree pod) {
    List<Tree> owners = pod.items("metadata", "ownerReferences");
    return owners.isEmpty()
        || owners.stream().anyMatch(owner -> job.uid().equals(owner.text("uid")));
  }

  private static @Nullable String text(Map<String, Tree> labels, String key) {
    Tree label = labels.get(key);
    return label == null ? null : label.text();
  }

  /**
   * The ranks of pods, for sentences.
   *
   * @param pods the pods by rank
   * @return for example {@code 0 to 5, 7}
   */
  public static String inWords(List<RankedPod> pods) {
    List<Integer> ranks = pods.stream().map(RankedPod::rank).distinct().toList();
    List<String> parts = new ArrayList<>();
    int first = 0;
    for (int i = 0; i < ranks.size(); i++) {
      if (i + 1 == ranks.size() || ranks.get(i + 1) != ranks.get(i) + 1) {
        parts.add(
            i == first
                ? ranks.get(i).toString()
                : ranks.get(first) + (i == first + 1 ? ", " : " to ") + ranks.get(i));
        first = i + 1;
      }
    }
    return String.join(", ", parts);
  }

  /**
   * The latest pod of each rank.
   *
   * @param pods the pods of a job
   * @return those that are current, by rank
   */
  public static List<RankedPod> current(List<RankedPod> pods) {
    return pods.stream().filter(RankedPod::current).toList();
  }
}
