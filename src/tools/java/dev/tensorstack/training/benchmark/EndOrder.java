package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * In which order the pods of jobs end well. What an operator writes depends on it: the success of
 * the master is that of the job, and the other pods may end just after it.
 */
enum EndOrder {
  /** All workers of all jobs, then all masters: seconds apart. */
  WORKERS_FIRST(Integer.MAX_VALUE) {
    @Override
    List<List<PodLife>> steps(List<PodLife> pods) {
      return List.of(workers(pods), masters(pods));
    }
  },

  /** The masters of some jobs, then their workers, then those of others: a moment apart. */
  MASTERS_FIRST(50) {
    @Override
    List<List<PodLife>> steps(List<PodLife> pods) {
      return List.of(masters(pods), workers(pods));
    }
  };

  private final int jobsAtATime;

  EndOrder(int jobsAtATime) {
    this.jobsAtATime = jobsAtATime;
  }

  /** Which of the pods of some jobs end together, one group after the other. */
  abstract List<List<PodLife>> steps(List<PodLife> pods);

  /**
   * Ends all pods.
   *
   * @return the moment when the last job had all that its success needs
   */
  long end(SwiftKubelet kubelet, List<PodLife> pods) {
    for (List<PodLife> some : inParts(pods)) {
      steps(some).forEach(step -> kubelet.end(step, SwiftKubelet.End.SUCCESS));
    }
    return masters(pods).stream().mapToLong(pod -> pod.ended).max().orElse(System.nanoTime());
  }

  private List<List<PodLife>> inParts(List<PodLife> pods) {
    List<List<PodLife>> parts = new ArrayList<>();
    int jobs = 0;
    for (List<PodLife> job : byJob(pods)) {
      if (jobs++ % jobsAtATime == 0) {
        parts.add(new ArrayList<>());
      }
      parts.get(parts.size() - 1).addAll(job);
    }
    return parts;
  }

  private static List<List<PodLife>> byJob(List<PodLife> pods) {
    return pods.stream().collect(Collectors.groupingBy(pod -> pod.job)).values().stream()
        .sorted(Comparator.comparingLong(job -> job.get(0).created))
        .toList();
  }

  private static List<PodLife> masters(List<PodLife> pods) {
    return pods.stream().filter(PodLife::isMaster).toList();
  }

  private static List<PodLife> workers(List<PodLife> pods) {
    return pods.stream().filter(pod -> !pod.isMaster()).toList();
  }
}
