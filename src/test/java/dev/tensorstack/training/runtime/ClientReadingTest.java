package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.operatorsdk.runtime.QuarkusConfigurationService;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** What the application's parts get together with: one client, which reads as it should. */
@QuarkusTest
class ClientReadingTest {

  @Inject KubernetesClient client;
  @Inject QuarkusConfigurationService configuration;
  @Inject Operator operator;
  @Inject MeterRegistry registry;

  @Test
  void theFrameworkWatchesWithTheApplicationsClient() {
    assertThat(operator.getKubernetesClient().getKubernetesSerialization())
        .isSameAs(client.getKubernetesSerialization());
    assertThat(configuration.getKubernetesClient().getKubernetesSerialization())
        .isSameAs(client.getKubernetesSerialization());
  }

  /** Whatever answers, if anything. */
  @Test
  void itsRequestsAreCounted() {
    Throwable unreachable =
        catchThrowable(() -> operator.getKubernetesClient().getKubernetesVersion());
    assertThat(unreachable)
        .satisfiesAnyOf(
            none -> assertThat(none).isNull(),
            one -> assertThat(one).isInstanceOf(KubernetesClientException.class));
    assertThat(registry.get(Metric.API_REQUESTS.meter()).tag("method", "GET").counters())
        .isNotEmpty();
  }

  @Test
  void theFrameworkCopiesAJobWithoutReadingItsSpecAgain() {
    PyTorchTrainingJob job =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: batch.tensorstack.dev/v1beta1
                kind: PyTorchTrainingJob
                metadata: {name: train}
                spec: {replicaSpecs: [{type: worker, template: {spec: {containers: [{name: a}]}}}]}
                """,
                PyTorchTrainingJob.class);
    PyTorchTrainingJob copy = configuration.getResourceCloner().clone(job);
    assertThat(copy).isNotSameAs(job).isEqualTo(job);
    assertThat(copy.getSpec()).isSameAs(job.getSpec());
    assertThat(copy.getMetadata()).isNotSameAs(job.getMetadata());
  }

  @Test
  void whatAWatchBringsIsPruned() {
    WatchEvent seen =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1",
                 "metadata": {"name": "a", "managedFields": [{"manager": "m"}]},
                 "spec": {"nodeName": "n", "hostname": "h"}}}
                """,
                WatchEvent.class);
    Pod pod = (Pod) seen.getObject();
    assertThat(pod.getSpec().getNodeName()).isEqualTo("n");
    assertThat(pod.getSpec().getHostname()).isNull();
    assertThat(pod.getMetadata().getManagedFields()).isEmpty();
  }
}
