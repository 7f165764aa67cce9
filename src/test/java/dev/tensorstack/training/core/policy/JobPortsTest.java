package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.world.World;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The ports of a job's master, on the network of pods and on that of a node. */
class JobPortsTest {

  private static final JobSpec PODS = spec("", "");
  private static final JobSpec NODE = spec("hostNetwork: true, ", "");

  private static JobSpec spec(String pod, String ports) {
    return new World(
            "replicaSpecs: [{type: worker, replicas: 1, template: {spec: {"
                + pod
                + "containers: [{name: c, image: i"
                + ports
                + "}]}}}]\n")
        .job()
        .spec();
  }

  @Test
  void podsHaveANetworkOfTheirOwnAndTheUsualPorts() {
    assertThat(JobPorts.of("a", PODS)).isEqualTo(new JobPorts(23456, 29400));
    assertThat(JobPorts.onNodeNetwork(PODS)).isFalse();
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

  @Test
  void thePortsOfOtherJobsAreNotAmongThem() {
    assertThat(IntStream.range(0, 50_000).mapToObj(number -> JobPorts.of("uid-" + number, NODE)))
        .extracting(JobPorts::master)
        .doesNotContain(23_456)
        .contains(23_454, 23_458, 20_000, 24_998);
  }

  @Test
  void portsThatTheMastersContainerNamesAreTaken() {
    String both =
        ", ports: [{name: rendezvous, containerPort: 2}, {name: master, containerPort: 1}]";
    String one = ", ports: [{name: http, containerPort: 80}, {name: master, containerPort: 1}]";

    assertThat(JobPorts.of("a", spec("", both))).isEqualTo(new JobPorts(1, 2));
    assertThat(JobPorts.of("a", spec("hostNetwork: true, ", both))).isEqualTo(new JobPorts(1, 2));
    assertThat(JobPorts.of("a", spec("", one))).isEqualTo(new JobPorts(1, 29400));
    String udp = ", ports: [{name: master, containerPort: 1, protocol: UDP}]";
    assertThat(JobPorts.of("a", spec("", udp))).isEqualTo(new JobPorts(23456, 29400));
  }
}
