package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangMembers;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MinResourcesTest {

  private static PodSpec pod(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, PodSpec.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // containers
        "{containers: [{name: a}]} | 3 | {}",
        "{containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]} | 3 | {cpu=3, memory=3Gi}",
        "{containers: [{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 500m}}}]} | 1 | {cpu=1500m}",
        "{containers: [{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 500m}}}]} | 2 | {cpu=3}",
        "{containers: [null, {resources: {requests: {cpu: 1}}}]} | 1 | {cpu=1}",
        "{containers: [{resources: {limits: {cpu: 2, nvidia.com/gpu: 8}}}]} | 2 | {cpu=4, nvidia.com/gpu=16}",
        "{containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}]} | 1 | {cpu=1, memory=1Gi}",
        "{containers: [{resources: {requests: {cpu: 0, memory: 1Gi}}}]} | 1 | {memory=1Gi}",
        // init containers and sidecars
        "{initContainers: [{resources: {requests: {cpu: 4}}}, {resources: {requests: {cpu: 3, memory: 1Gi}}}], containers: [{resources: {requests: {cpu: 1, memory: 2Gi}}}]} | 1 | {cpu=4, memory=2Gi}",
        "{initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}], containers: [{resources: {requests: {cpu: 2}}}]} | 2 | {cpu=6}",
        "{initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 5}}}], containers: [{resources: {requests: {cpu: 2}}}]} | 1 | {cpu=6}",
        "{initContainers: [{resources: {requests: {cpu: 5}}}, {restartPolicy: Always, resources: {requests: {cpu: 1}}}], containers: [{resources: {requests: {cpu: 2}}}]} | 1 | {cpu=5}",
        "{initContainers: [{restartPolicy: Always, resources: {limits: {cpu: 1}}}, {restartPolicy: Always, resources: {requests: {cpu: 2}}}], containers: []} | 1 | {cpu=3}",
        // overhead, and what the pod itself asks for
        "{overhead: {cpu: 250m}, containers: [{resources: {requests: {cpu: 1}}}]} | 4 | {cpu=5}",
        "{resources: {requests: {cpu: 4}}, containers: [{resources: {requests: {cpu: 1, nvidia.com/gpu: 1}}}]} | 1 | {cpu=4, nvidia.com/gpu=1}",
        "{resources: {limits: {cpu: 4, memory: 8Gi}}, containers: [{resources: {requests: {cpu: 1}}}]} | 1 | {cpu=1, memory=8Gi}",
        "{resources: {requests: {cpu: 4}}, overhead: {cpu: 1}, containers: []} | 1 | {cpu=5}",
        // how quantities are written
        "{containers: [{resources: {requests: {cpu: 0.1}}}]} | 3 | {cpu=300m}",
        "{containers: [{resources: {requests: {cpu: 1e3}}}]} | 1 | {cpu=1000}",
        "{containers: [{resources: {requests: {cpu: 100u}}}]} | 1 | {cpu=1m}",
        "{containers: [{resources: {requests: {memory: 512Mi}}}]} | 2 | {memory=1Gi}",
        "{containers: [{resources: {requests: {memory: 1536Mi}}}]} | 1 | {memory=1536Mi}",
        "{containers: [{resources: {requests: {memory: 1G}}}]} | 1 | {memory=1000000000}",
        "{containers: [{resources: {requests: {memory: 1001}}}]} | 1 | {memory=1001}",
        "{containers: [{resources: {requests: {ephemeral-storage: 4096Pi, hugepages-2Mi: 4Mi}}}]} | 1 | {ephemeral-storage=4Ei, hugepages-2Mi=4Mi}",
        // what cannot be read is for the API server to refuse
        "{containers: [{resources: {requests: {cpu: many, memory: 1Gi}}}]} | 1 | {memory=1Gi}",
        "{containers: [{resources: {requests: {cpu: null, memory: 1Gi}}}]} | 1 | {memory=1Gi}",
      })
  void whatThePodsOfAGangNeed(String spec, int count, String expected) {
    assertThat(MinResources.of(List.of(new GangMembers.Pods(pod(spec), count, 0))).toString())
        .isEqualTo(expected);
  }

  @Test
  void podsOfSeveralTypesAreAddedUp() {
    PodSpec master = pod("{containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}");
    PodSpec worker = pod("{containers: [{resources: {limits: {cpu: 500m, nvidia.com/gpu: 2}}}]}");

    assertThat(
            MinResources.of(
                List.of(new GangMembers.Pods(master, 1, 0), new GangMembers.Pods(worker, 3, 0))))
        .isEqualTo(Map.of("cpu", "2500m", "memory", "1Gi", "nvidia.com/gpu", "6"));
  }
}
