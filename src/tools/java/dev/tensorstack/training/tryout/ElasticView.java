package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What matters of an elastic job at one moment.
 *
 * @param live the pods that run or will run, by replica ({@code worker-0})
 * @param attempt the number of the attempt
 * @param counted restarts that cost one of the budget
 * @param disruptions restarts that cost nothing
 * @param reported how much the training had reported
 */
record ElasticView(
    SortedMap<String, Pod> live, int attempt, int counted, int disruptions, int reported) {

  /** Reads it. */
  static ElasticView of(Sight<PyTorchTrainingJob> sight) {
    SortedMap<String, Pod> live = new TreeMap<>();
    for (Pod pod : sight.pods()) {
      if (pod.getMetadata().getDeletionTimestamp() == null
          && List.of("Pending", "Running").contains(pod.getStatus().getPhase())) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        live.put(
            labels.get(TrainingJobLabels.REPLICA_TYPE)
                + "-"
                + labels.get(TrainingJobLabels.REPLICA_INDEX),
            pod);
      }
    }
    PyTorchTrainingJobStatus status = sight.job().getStatus();
    return new ElasticView(
        live,
        status == null ? 0 : orZero(status.attempt()),
        status == null ? 0 : orZero(status.backoffCount()),
        status == null ? 0 : orZero(status.disruptionCount()),
        sight.output().size());
  }

  /**
   * Whether a replica has the same pod in another view.
   *
   * @param replica one that both have
   */
  boolean samePod(ElasticView other, String replica) {
    return uid(live, replica).equals(uid(other.live, replica));
  }

  private static String uid(SortedMap<String, Pod> pods, String replica) {
    Pod pod = pods.get(replica);
    return pod == null ? "" : pod.getMetadata().getUid();
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }
}
