package dev.tensorstack.training.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order pods end: which are together, and who comes first. */
class EndOrderTest {

  private static PodLife pod(String job, int index) {
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    JsonNode labels =
        pod.putObject("metadata")
            .putObject("labels")
            .put(TrainingJobLabels.OWNER_NAME, job)
            .put(TrainingJobLabels.REPLICA_TYPE, "worker")
            .put(TrainingJobLabels.REPLICA_INDEX, Integer.toString(index));
    assertThat(labels).isNotEmpty();
    return new PodLife(pod);
  }

  private final PodLife master = pod("a", 0);
  private final PodLife worker = pod("a", 1);
  private final PodLife otherMaster = pod("b", 0);

  @Test
  void workersEndBeforeMasters() {
    assertThat(EndOrder.WORKERS_FIRST.steps(List.of(master, worker, otherMaster)))
        .containsExactly(List.of(worker), List.of(master, otherMaster));
  }

  @Test
  void mastersEndBeforeWorkers() {
    assertThat(EndOrder.MASTERS_FIRST.steps(List.of(worker, master, otherMaster)))
        .containsExactly(List.of(master, otherMaster), List.of(worker));
  }
}
