package dev.tensorstack.training.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ElasticStepTest {

  private final TrainingOutput output = new TrainingOutput();
  private final ElasticView two =
      view(0, 0, Map.of("master-0", pod("a", 0), "worker-0", pod("b", 0)));

  @Test
  void growingWaitsForThePodsAndForTheTraining() {
    ElasticStep grow = step(3, Set.of(), 0, 0);
    assertThat(grow.missing(two, two, output))
        .containsExactly(
            "the pods are [master-0, worker-0], not [master-0, worker-0, worker-1]",
            "no training of world_size 3 was started and has finished an epoch");

    ElasticView three = plus(two, "worker-1", pod("c", 0));
    trains(3);
    assertThat(grow.missing(two, three, output)).isEmpty();
    assertThat(grow.broken(two, three, output)).isEmpty();
    assertThat(grow.result(two, three, output))
        .isEqualTo(
            "world_size 3, continuing after epoch 7; pods kept [master-0, worker-0], new"
                + " [worker-1], gone []; attempt 0, counted restarts 0, disruptions 0");
  }

  @Test
  void survivorsThatWereReplacedAndRestartsThatWereCountedBreakThePromise() {
    ElasticView three = plus(two, "worker-1", pod("c", 0));
    ElasticView after = view(0, 1, Map.of("master-0", pod("a", 0), "worker-0", pod("d", 0)));
    trains(2);
    ElasticStep shrink = step(2, Set.of(), 0, 0);
    assertThat(shrink.missing(three, after, output)).isEmpty();
    assertThat(shrink.broken(three, after, output))
        .containsExactly(
            "pod worker-0 was replaced; it should have been left alone",
            "counted restarts: 1, not 0");
  }

  @Test
  void aLostWorkerIsReplacedAloneAndCosts() {
    ElasticStep kill = step(2, Set.of("worker-0"), 0, 1);
    trains(2);
    assertThat(kill.missing(two, two, output)).containsExactly("pod worker-0 is still the same");
    ElasticView after = view(0, 1, Map.of("master-0", pod("a", 0), "worker-0", pod("d", 0)));
    assertThat(kill.missing(two, after, output)).isEmpty();
    assertThat(kill.broken(two, after, output)).isEmpty();
  }

  @Test
  void anotherAttemptHasANewRendezvous() {
    ElasticStep kill = step(2, Set.of("master-0", "worker-0"), 1, 1);
    trains(2);
    ElasticView stale = view(1, 1, Map.of("master-0", pod("e", 0), "worker-0", pod("f", 1)));
    assertThat(kill.missing(two, stale, output)).isEmpty();
    assertThat(kill.broken(two, stale, output))
        .containsExactly("pod e has not the rendezvous --rdzv_id=uid-1");
  }

  private void trains(int nodes) {
    output.add("continuing after epoch 7, world_size " + nodes);
    output.add("epoch 8/20 loss 0.1 accuracy 0.95 world_size " + nodes);
  }

  private static ElasticStep step(int nodes, Set<String> replaced, int attempts, int counted) {
    return new ElasticStep("step", nothing -> {}, nodes, replaced, attempts, counted);
  }

  private static ElasticView view(int attempt, int counted, Map<String, Pod> live) {
    return new ElasticView(new TreeMap<>(live), attempt, counted, 0, 0);
  }

  private static ElasticView plus(ElasticView view, String replica, Pod pod) {
    SortedMap<String, Pod> live = new TreeMap<>(view.live());
    live.put(replica, pod);
    return view(view.attempt(), view.counted(), live);
  }

  /** A running pod whose name is its uid. */
  private static Pod pod(String uid, int attempt) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(uid)
        .withUid(uid)
        .addToLabels(TrainingJobLabels.JOB_UID, "uid")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withArgs("--rdzv_id=uid-" + attempt)
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .endStatus()
        .build();
  }
}
