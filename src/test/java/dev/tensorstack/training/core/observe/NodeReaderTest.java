package dev.tensorstack.training.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {

  private static final Instant SEEN = Instant.parse("2026-01-02T03:04:05Z");

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "{}                                                                                 | -",
        "{status: {conditions: [{type: Ready, status: 'True'}]}}                            | -",
        // Its kubelet reports, and says what becomes of its pods.
        "{status: {conditions: [{type: Ready, status: 'False'}]}}                           | -",
        "{status: {conditions: [{type: Ready, status: Unknown}]}}                           | 2026-01-02T03:04:05Z",
        "{status: {conditions: [{type: Ready, status: Unknown, lastTransitionTime: '2026-01-02T03:00:00Z'}]}} | 2026-01-02T03:00:00Z",
        "{status: {conditions: [{type: Ready, status: Unknown, lastTransitionTime: soon}]}} | 2026-01-02T03:04:05Z",
        "{status: {conditions: [{type: DiskPressure, status: Unknown}]}}                    | -",
        "{spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}}    | 1970-01-01T00:00:00Z",
        "{spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]}}       | -"
      })
  void aNodeIsLostWhenItsKubeletIsSilentOrSomebodyTookItOutOfService(
      String node, @Nullable Instant since) {
    assertThat(NodeReader.lostSince(Serialization.unmarshal("---\n" + node, Node.class), SEEN))
        .isEqualTo(since);
  }
}
