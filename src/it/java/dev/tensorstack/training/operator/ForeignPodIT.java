package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may create pods in one namespace must not be able to end a job in another one: labels and
 * owner references are what their author writes, and a job's uid is no secret.
 */
@OperatorTest({"victim", "foreign"})
class ForeignPodIT {

  /** Keeps the garbage collector from removing what has an owner that its namespace lacks. */
  private static final String STAYS = "example.com/stays";

  private static final String FAILED =
      """
      {"status": {"phase": "Failed", "containerStatuses": [{
        "name": "pytorch", "image": "i", "imageID": "i", "ready": false, "restartCount": 0,
        "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}}
      """;

  private final KubernetesClient client;
  private final String foreign;
  private final Jobs jobs;
  private final OperatorProcess operator;

  ForeignPodIT(KubernetesClient client, Jobs[] jobs, OperatorProcess operator) {
    this.client = client;
    this.jobs = jobs[0];
    this.foreign = jobs[1].namespace();
    this.operator = operator;
  }

  @AfterAll
  void stop() {
    for (Pod pod : client.pods().inNamespace(foreign).list().getItems()) {
      client
          .resource(pod)
          .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Never", "OnFailure"})
  void aFailedPodOfAnotherNamespaceIsNotTheJobsWhateverItSaysOfItself(String policy) {
    String name = "victim-" + policy.toLowerCase(java.util.Locale.ROOT);
    jobs.create(Jobs.simple(name, 2, policy));
    PyTorchTrainingJobStatus before =
        jobs.await(name, "two pods", status -> status.aggregate().running() == 2).getStatus();
    List<Pod> pods = jobs.pods(name);
    for (Pod pod : pods) {
      forge(pod);
    }

    AtomicInteger look = new AtomicInteger();
    await("nothing happens to " + name)
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(15))
        .pollInterval(Duration.ofMillis(500))
        .failFast(() -> assertThat(jobs.get(name).getStatus()).isEqualTo(before))
        .until(
            () -> {
              // A new label makes the operator look at the job, and so at its pods.
              jobs.patch(
                  name,
                  "{\"metadata\":{\"labels\":{\"look\":\"" + look.incrementAndGet() + "\"}}}");
              return uids(jobs.pods(name)).equals(uids(pods));
            });
    assertThat(client.pods().inNamespace(foreign).list().getItems())
        .filteredOn(pod -> pod.getMetadata().getName().startsWith(name))
        .as("the forged pods are there all the time")
        .hasSize(2)
        .allMatch(pod -> pod.getStatus().getPhase().equals("Failed"));
    assertThat(operator.isAlive()).isTrue();
  }

  /** A pod of the same name, labels and owner in the other namespace, which has failed. */
  private void forge(Pod pod) {
    Pod forged =
        client
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withNamespace(foreign)
                    .withName(pod.getMetadata().getName())
                    .withLabels(pod.getMetadata().getLabels())
                    .withOwnerReferences(pod.getMetadata().getOwnerReferences())
                    .withFinalizers(STAYS)
                    .endMetadata()
                    .withNewSpec()
                    .withSchedulerName("nobody")
                    .addNewContainer()
                    .withName("pytorch")
                    .withImage("registry.example/train:1")
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    client
        .resource(forged)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), FAILED);
  }

  private static Set<String> uids(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet());
  }
}
