package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.engine.Leadership;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

  private static OperatorConfiguration settings(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("operator.watch-namespaces", "any");
    return new SmallRyeConfigBuilder()
        .withMapping(OperatorConfiguration.class)
        .withConverter(Duration.class, 200, new DurationConverter())
        .withSources(new PropertiesConfigSource(all, "test", 100))
        .build()
        .getConfigMapping(OperatorConfiguration.class);
  }

  @Test
  void thereIsAnElectionInAClusterAndNowhereElseUnlessASettingSaysSo() {
    assertThat(LeaderElection.isEnabled(settings(Map.of()))).isFalse();
    assertThat(LeaderElection.isEnabled(settings(Map.of("operator.namespace", "own")))).isTrue();
    assertThat(
            LeaderElection.isEnabled(
                settings(
                    Map.of(
                        "operator.namespace", "own", "operator.leader-election.enabled", "false"))))
        .isFalse();
    assertThat(
            LeaderElection.isEnabled(settings(Map.of("operator.leader-election.enabled", "true"))))
        .isTrue();
  }

  @Test
  void aContainerThatWasKilledIsAnotherCandidateThanTheOneThatIsStartedForIt() {
    assertThat(LeaderElection.identity(Optional.of("pod-1"), Optional.empty()))
        .startsWith("pod-1_")
        .isNotEqualTo(LeaderElection.identity(Optional.of("pod-1"), Optional.empty()));
    assertThat(LeaderElection.identity(Optional.of(" "), Optional.empty())).startsWith("operator_");
    assertThat(LeaderElection.identity(Optional.empty(), Optional.empty())).startsWith("operator_");
  }

  @Test
  void whoEndsDoesNotLeadAnyMore() throws InterruptedException {
    Leadership leadership = new Leadership();
    assertThat(leadership.leads()).isFalse();
    leadership.begin(null);
    assertThat(leadership.leads()).isTrue();
    assertThat(leadership.end(Duration.ZERO)).isTrue();
    leadership.begin(null);
    assertThat(leadership.leads()).isFalse();
    assertThat(leadership.hasEnded()).isTrue();
  }
}
