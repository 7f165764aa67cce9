package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.world.World;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The ports of a job's master, on the network of pods and on that of a node. */
class JobPortsTest {

  private static final List<ReplicaType> PODS = types("");
  private static final List<ReplicaType> NODE = types("hostNetwork: true, ");

  private static List<ReplicaType> types(String spec) {
    return new World(
            "replicaSpecs: [{type: worker, replicas: 1, template: {spec: {"
                + spec
                + "containers: [{name: c, image: i}]}}}]\n")
        .job()
        .spec()
        .types();
  }

  @Test
  void podsHaveANetworkOfTheirOwnAndTheUsualPorts() {
    assertThat(JobPorts.of("a", PODS)).isEqualTo(new JobPorts(23456, 29400));
    assertThat(JobPorts.onNodeNetwork(PODS)).isFalse();
    assertThat(JobPorts.of("a", List.of())).isEqualTo(new JobPorts(23456, 29400));
  }

  @Test
  void onANodesNetworkPortsFollowFromTheUid() {
    assertThat(JobPorts.of("a", NODE)).isEqualTo(JobPorts.of("a", NODE));
    Set<JobPorts> all =
        IntStream.range(0, 100)
            .mapToObj(number -> JobPorts.of("uid-" + number, NODE))
            .collect(Collectors.toSet());

    assertThat(all).hasSizeGreaterThan(90);
    assertThat(all)
        .allSatisfy(
            ports -> {
              assertThat(ports.master()).isBetween(20_000, 24_999);
              assertThat(ports.rendezvous()).isEqualTo(ports.master() + 1);
            });
  }
}
