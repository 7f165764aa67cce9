package dev.tensorstack.training.core.dependents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AutoscalerFactoryTest {

  private static World world(String elastic) {
    return new World(
        World.workers(2, "Never")
            + "torchrunConfig: {enabled: true}\nelastic: {"
            + elastic
            + "}\n");
  }

  @Test
  void anElasticJobWithMetricsIsScaledWithinItsOwnBounds() {
    GenericKubernetesResource autoscaler =
        Objects.requireNonNull(
            AutoscalerFactory.autoscaler(
                world(
                        """
                    enabled: true, minReplicas: 2, maxReplicas: 8, metrics: [
                      {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}},
                      {type: External, external: {metric: {name: waiting, selector: {matchLabels: {queue: a}}},
                       target: {type: AverageValue, averageValue: 500m}}, newer: {a: 1}}]
                    """)
                    .job()));

    assertThat(autoscaler.getMetadata().getName()).isEqualTo("mnist-12e8d");
    assertThat(autoscaler.getApiVersion()).isEqualTo("autoscaling/v2");
    assertThat(autoscaler.getAdditionalProperties().get("spec"))
        .isEqualTo(
            Serialization.unmarshal(
                """
                    scaleTargetRef:
                      {apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, name: mnist}
                    minReplicas: 2
                    maxReplicas: 8
                    metrics:
                    - type: Resource
                      resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
                    - type: External
                      external:
                        metric: {name: waiting, selector: {matchLabels: {queue: a}}}
                        target: {type: AverageValue, averageValue: 500m}
                      newer: {a: 1}
                    """,
                Map.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "enabled: true, minReplicas: 2, maxReplicas: 8",
        "enabled: true, minReplicas: 2, maxReplicas: 8, metrics: []",
        "enabled: true, minReplicas: 2, metrics: [{type: Pods}]",
        "enabled: false, minReplicas: 2, maxReplicas: 8, metrics: [{type: Pods}]"
      })
  void otherJobsHaveNone(String elastic) {
    assertThat(AutoscalerFactory.autoscaler(world(elastic).job())).isNull();
  }
}
