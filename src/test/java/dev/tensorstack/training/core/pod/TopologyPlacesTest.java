package dev.tensorstack.training.core.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopologyPlacesTest {

  private static List<Map<String, String>> places(String... hosts) {
    return Arrays.stream(hosts).map(TopologyPlacesTest::host).toList();
  }

  private static Map<String, String> host(String name) {
    return Map.of("host", name);
  }

  /** Pods that run where their selectors say; {@code -} for a replica without one. */
  private static Map<Integer, Map<String, String>> live(String... hosts) {
    Map<Integer, Map<String, String>> live = new LinkedHashMap<>();
    for (int replica = 0; replica < hosts.length; replica++) {
      if (!hosts[replica].equals("-")) {
        live.put(replica, Map.of("host", hosts[replica], "pool", "gpu"));
      }
    }
    return live;
  }

  private static String host(int replica, String places, String live) {
    List<Map<String, String>> all = places(places.split(" "));
    return TopologyPlaces.placeOf(replica, live.split(" ").length, all, live(live.split(" ")))
        .getOrDefault("host", "none");
  }

  @Test
  void replicasGetPlacesInTheirOrder() {
    assertThat(host(0, "a a b", "- - -")).isEqualTo("a");
    assertThat(host(1, "a a b", "- - -")).isEqualTo("a");
    assertThat(host(2, "a a b", "- - -")).isEqualTo("b");
  }

  @Test
  void aReplacementGetsThePlaceOfItsPredecessor() {
    assertThat(host(1, "a b c", "a - c")).isEqualTo("b");
    assertThat(host(1, "a b c", "a b c")).as("which still runs").isEqualTo("b");
  }

  @Test
  void aPlaceThatThreeOthersHaveMovedOverIsGivenToNobodyTwice() {
    // The node b is lost; d takes its place, and Kueue sorts the places by name.
    assertThat(host(1, "a c d", "a - c")).isEqualTo("d");
    assertThat(host(1, "a c d", "a b c")).as("the pod on b is not gone yet").isEqualTo("d");
    assertThat(host(0, "b c d", "- b c")).isEqualTo("d");
  }

  @Test
  void twoNewPodsDoNotMeet() {
    assertThat(host(1, "a c d e", "a - c -")).isEqualTo("d");
    assertThat(host(3, "a c d e", "a - c -")).isEqualTo("e");
    assertThat(host(0, "b c d", "- b -")).isEqualTo("c");
    assertThat(host(2, "b c d", "- b -")).isEqualTo("d");
  }

  @Test
  void withoutAPlaceThereIsNone() {
    assertThat(host(2, "a b", "- - -")).isEqualTo("none");
    assertThat(TopologyPlaces.placeOf(0, 1, List.of(), Map.of())).isEmpty();
  }
}
