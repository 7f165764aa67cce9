package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodAddressesTest {
  private final PodAddresses addresses = PodAddresses.of("https://127.0.0.1:1/");

  @Test
  void sameIdentityHasTheSameAddressWhateverThePodIsCalled() {
    Pod first = pod("job-worker-0", "job-worker-0", "job");
    Pod replacement = pod("job-worker-0-r1", "job-worker-0", "job");
    assertThat(addresses.addressOf(replacement))
        .isEqualTo(addresses.addressOf(first))
        .isEqualTo(addresses.addressOf("default", "job", "job-worker-0"));
  }

  @Test
  void allNodesOfAClusterAgree() {
    assertThat(PodAddresses.of("https://127.0.0.1:1/")).isSameAs(addresses);
  }

  @Test
  void identitiesThatDifferHaveDifferentAddresses() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      assertThat(seen.add(addresses.addressOf("ns", "many", "pod-" + i))).isTrue();
    }
  }

  @Test
  void addressesAreLoopbackButNotTheHostsOwn() {
    for (int i = 0; i < 1_000; i++) {
      String[] parts = addresses.addressOf("ns", "range", "pod-" + i).split("\\.");
      assertThat(parts).hasSize(4).startsWith("127");
      assertThat(Integer.parseInt(parts[1])).isBetween(1, 254);
      assertThat(Integer.parseInt(parts[2])).isBetween(0, 255);
      assertThat(Integer.parseInt(parts[3])).isBetween(1, 254);
    }
  }

  @Test
  void podInTheHostsNetworkHasTheHostsAddress() {
    Pod pod = pod("a", "a", "job");
    pod.getSpec().setHostNetwork(true);
    assertThat(addresses.addressOf(pod)).isEqualTo("127.0.0.1");
  }

  private static Pod pod(String name, String hostname, String subdomain) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withHostname(hostname)
        .withSubdomain(subdomain)
        .endSpec()
        .build();
  }
}
