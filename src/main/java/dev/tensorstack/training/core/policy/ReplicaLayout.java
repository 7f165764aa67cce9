package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which replicas a job wants now, and their ranks: order of the list, then index. */
public final class ReplicaLayout {

  private final Map<ReplicaId, Integer> ranks = new LinkedHashMap<>();
  private final ReplicaId master;

  private ReplicaLayout(List<ReplicaId> replicas, ReplicaId master) {
    replicas.forEach(replica -> ranks.put(replica, ranks.size()));
    this.master = master;
  }

  /**
   * The layout of a job that has no pods yet.
   *
   * @param spec what the job is to do, with at least one type
   * @return the replicas that shall exist: of each type the lowest indexes
   */
  public static ReplicaLayout of(JobSpec spec) {
    List<ReplicaId> replicas = new ArrayList<>();
    counts(spec)
        .forEach(
            (type, count) -> {
              for (int index = 0; index < count; index++) {
                replicas.add(new ReplicaId(type, index));
              }
            });
    return of(spec, replicas);
  }

  /**
   * The layout of a job with certain replicas.
   *
   * @param spec what the job is to do, with at least one type
   * @param replicas the replicas in the order of their ranks
   * @return these replicas
   */
  public static ReplicaLayout of(JobSpec spec, List<ReplicaId> replicas) {
    return new ReplicaLayout(replicas, new ReplicaId(spec.types().get(0).name(), 0));
  }

  /**
   * How many replicas of each type a job wants now.
   *
   * @param spec what the job is to do, with at least one type
   * @return numbers by type, in the order of the spec
   */
  public static Map<String, Integer> counts(JobSpec spec) {
    int[] counts = numbers(spec);
    Map<String, Integer> byType = new LinkedHashMap<>();
    for (int i = 0; i < counts.length; i++) {
      byType.merge(spec.types().get(i).name(), counts[i], Math::max);
    }
    return byType;
  }

  private static int[] numbers(JobSpec spec) {
    if (spec.elastic() == null) {
      return spec.types().stream().mapToInt(ReplicaType::replicas).toArray();
    }
    List<ElasticDistribution.Share> shares = new ArrayList<>();
    for (ReplicaType type : spec.types()) {
      shares.add(new ElasticDistribution.Share(type.replicas(), type.scalingWeight()));
    }
    return ElasticDistribution.distribute(spec.elastic().expectedReplicas(), shares);
  }

  /**
   * The replicas in the order of their ranks.
   *
   * @return all replicas that shall exist
   */
  public List<ReplicaId> replicas() {
    return List.copyOf(ranks.keySet());
  }

  /**
   * How many replicas shall exist.
   *
   * @return their number
   */
  public int size() {
    return ranks.size();
  }

  /**
   * The master: index 0 of the first type.
   *
   * @return the replica that hosts the rendezvous
   */
  public ReplicaId master() {
    return master;
  }

  /**
   * The rank of a replica.
   *
   * @param replica a replica of this layout
   * @return the rank, from 0
   * @throws IllegalArgumentException when the layout does not hold it
   */
  public int rank(ReplicaId replica) {
    Integer rank = ranks.get(replica);
    if (rank == null) {
      throw new IllegalArgumentException(replica + " is not a replica of this job");
    }
    return rank;
  }

  /**
   * Whether a replica shall exist.
   *
   * @param replica any replica
   * @return true when it is part of the layout
   */
  public boolean contains(ReplicaId replica) {
    return ranks.containsKey(replica);
  }
}
