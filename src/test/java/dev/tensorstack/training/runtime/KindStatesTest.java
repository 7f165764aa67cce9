package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.engine.Leadership;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KindStatesTest {

  private static final ObjectKind ONE = new ObjectKind("example.com", "v1", "One", "ones");
  private static final ObjectKind OTHER = new ObjectKind("example.com", "v1", "Other", "others");
  private static final String MISSING = "its CRD is missing";

  private final KubernetesClient notAsked = new KubernetesClientBuilder().build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Leadership leadership = new Leadership();
  private final KindStates states =
      new KindStates(new OperatorEvents(notAsked, Clock.systemUTC(), Optional.empty()), leadership);

  KindStatesTest() {
    states.register(registry, ONE.kind());
    states.register(registry, OTHER.kind());
  }

  @AfterEach
  void close() {
    notAsked.close();
  }

  private double waits(ObjectKind kind) {
    return registry
        .get(Metric.KIND_WAITS.meter())
        .tag(Metric.KIND_LABEL, kind.kind())
        .gauge()
        .value();
  }

  @Test
  void theLeaderAloneSaysThatOneOfTheKindsWaits() {
    states.tell(ONE, MISSING);
    assertThat(waits(ONE)).as("another replica may work on it").isZero();
    assertThat(states.obstacles()).as("it may be over, and only the leader asks again").isEmpty();
    leadership.begin(null);
    assertThat(waits(ONE)).isEqualTo(1);
    assertThat(states.obstacles()).containsExactly(Map.entry(ONE.kind(), MISSING));
    assertThat(waits(OTHER)).isZero();
    states.tell(ONE, null);
    assertThat(waits(ONE)).isZero();
  }

  @Test
  void whereAllKindsWaitThereIsNoLeaderYetAndEachReplicaSaysSo() {
    states.tell(ONE, MISSING);
    states.tell(OTHER, MISSING);
    assertThat(waits(ONE)).isEqualTo(1);
    assertThat(waits(OTHER)).isEqualTo(1);
    assertThat(states.obstacles()).containsOnlyKeys(ONE.kind(), OTHER.kind());
  }
}
