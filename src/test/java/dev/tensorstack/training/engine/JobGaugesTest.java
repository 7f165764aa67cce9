package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.pytorchjob.PyTorchJobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobGaugesTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> known = new ArrayList<>();
  private final List<String> gone = new ArrayList<>();
  private final JobGauges<PyTorchTrainingJob> gauges =
      new JobGauges<>(StoredJob.KIND, registry, new Leadership(), known::add, gone::add);

  private static PyTorchTrainingJob job(
      String namespace, @Nullable String phase, int running, int failed) {
    PyTorchTrainingJob job = new PyTorchTrainingJob();
    job.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName("any").build());
    if (phase != null) {
      job.setStatus(
          Serialization.unmarshal(
              """
              {"phase": "%s", "replicas": %d, "aggregate": {"running": %d, "failed": %d}}
              """
                  .formatted(phase, running + failed, running, failed),
              PyTorchTrainingJobStatus.class));
    }
    return job;
  }

  private double jobs(String namespace, String phase) {
    return registry
        .get("pytorchtrainingjob_jobs")
        .tags("namespace", namespace, "phase", phase)
        .gauge()
        .value();
  }

  private double replicas(String namespace, String state) {
    return registry
        .get("pytorchtrainingjob_replicas")
        .tags("namespace", namespace, "state", state)
        .gauge()
        .value();
  }

  @Test
  void jobsAndReplicasAreAddedUpByNamespace() {
    gauges.update(
        Stream.of(
            job("a", "Running", 3, 0),
            job("a", "Running", 2, 1),
            job("a", null, 0, 0),
            job("b", "Failed", 0, 4)));

    assertThat(jobs("a", "Running")).isEqualTo(2);
    assertThat(jobs("a", "Pending")).as("nobody has looked at it yet").isEqualTo(1);
    assertThat(jobs("a", "Failed")).isZero();
    assertThat(replicas("a", "running")).isEqualTo(5);
    assertThat(replicas("a", "failed")).isEqualTo(1);
    assertThat(replicas("b", "failed")).isEqualTo(4);
    assertThat(known).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void theSameSeriesShowNewNumbersAndThoseOfAnEmptyNamespaceVanish() {
    gauges.update(Stream.of(job("a", "Pending", 0, 0), job("b", "Running", 1, 0)));
    Gauge before =
        registry.get("pytorchtrainingjob_jobs").tags("namespace", "a", "phase", "Running").gauge();
    gauges.update(Stream.of(job("a", "Running", 1, 0)));

    assertThat(before.value()).isEqualTo(1);
    assertThat(jobs("a", "Pending")).isZero();
    assertThat(registry.find("pytorchtrainingjob_jobs").tag("namespace", "b").gauges()).isEmpty();
    assertThat(registry.find("pytorchtrainingjob_replicas").tag("namespace", "b").gauges())
        .isEmpty();
    gauges.update(Stream.empty());
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aPhaseOfAnotherVersionIsNoNewLabel() {
    gauges.update(Stream.of(job("a", "Dreaming", 0, 0)));

    assertThat(jobs("a", "Unknown")).isEqualTo(1);
    assertThat(registry.find("pytorchtrainingjob_jobs").gauges())
        .extracting(gauge -> Objects.requireNonNull(gauge.getId().getTag("phase")))
        .doesNotContain("Dreaming");
  }

  private final Leadership leadership = new Leadership();
  private final JobGauges<PyTorchJob> counting =
      new JobGauges<>(
          new PyTorchJobKind(PyTorchJobSettings.PLAIN),
          registry,
          leadership,
          known::add,
          gone::add);

  private static PyTorchJob kubeflows(String namespace, String uid) {
    PyTorchJob job = new PyTorchJob();
    job.setMetadata(
        new ObjectMetaBuilder().withNamespace(namespace).withName("any").withUid(uid).build());
    return job;
  }

  @Test
  void aJobThatIsGoneIsToldOnceWithItsNamespace() {
    leadership.begin(null);
    counting.tick(() -> Stream.of(kubeflows("a", "1"), kubeflows("b", "2")));
    counting.tick(() -> Stream.of(kubeflows("a", "1")));
    assertThat(gone).containsExactly("b");
    counting.tick(() -> Stream.of(kubeflows("a", "3")));
    counting.tick(() -> Stream.of(kubeflows("a", "3")));
    assertThat(gone).containsExactly("b", "a");
  }

  @Test
  void anOperatorThatStopsHasSeenNoJobGo() throws InterruptedException {
    leadership.begin(null);
    counting.tick(() -> Stream.of(kubeflows("a", "1")));
    assertThat(leadership.end(Duration.ZERO)).isTrue();
    counting.tick(() -> Stream.of(kubeflows("a", "1")));
    counting.tick(() -> Stream.of(kubeflows("a", "1")));
    assertThat(gone).isEmpty();
  }
}
