package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.pod.ProgressEndpoint;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What could not be heard for the operator's reasons is a gap. */
class ReportAvailabilityTest {

  private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
  private static final Instant START = NOW.minusSeconds(600);

  private final Leadership leadership = new Leadership();
  private boolean listens = true;
  private @Nullable ProgressEndpoint endpoint = new ProgressEndpoint("https://o:9444", "PEM");
  private final ReportAvailability availability =
      new ReportAvailability(
          Clock.fixed(NOW, ZoneOffset.UTC), leadership, () -> endpoint, () -> listens);

  private Pod told() {
    return pod(Objects.requireNonNull(endpoint).fingerprint());
  }

  private static Pod pod(String fingerprint) {
    return new PodBuilder()
        .withNewMetadata()
        .addToLabels(ProgressEndpoint.TOLD, fingerprint)
        .endMetadata()
        .build();
  }

  @Test
  void whatIsToldAndHeardIsNoSilence() {
    leadership.begin(null);

    assertThat(availability.of(List.of(told()), null, START)).isNull();
  }

  @Test
  void aProcessThatDoesNotLeadHearsNothing() {
    assertThat(availability.of(List.of(told()), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
  }

  @Test
  void nobodyIsHeardWhereNobodyListens() {
    leadership.begin(null);
    Pod pod = told();
    endpoint = null;

    assertThat(availability.of(List.of(pod), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
  }

  @Test
  void podsThatWereNotToldOrTrustAnotherAuthorityAreNotHeard() {
    leadership.begin(null);
    Pod untold = new PodBuilder().withNewMetadata().endMetadata().build();

    assertThat(availability.of(List.of(told(), untold), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
    assertThat(availability.of(List.of(pod("another")), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
  }

  @Test
  void theTimeBeforeTheFirstLookIsPartOfTheTimeWithoutAnOperator() {
    leadership.begin(new ReportGap(START.minusSeconds(50), START.minusSeconds(10)));

    assertThat(availability.of(List.of(told()), null, START))
        .isEqualTo(new ReportGap(START.minusSeconds(50), START));
  }

  @Test
  void afterAReportThatWasTurnedAwayTheClockBeginsAnew() {
    leadership.begin(null);
    availability.missed();

    assertThat(availability.of(List.of(told()), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
  }

  @Test
  void whatWasNotHeardBeforeThePortWasFreeIsNoHangAfterwards() {
    leadership.begin(null);
    listens = false;
    assertThat(availability.heardSince()).isNull();

    listens = true;
    assertThat(availability.of(List.of(told()), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
    assertThat(availability.heardSince()).isEqualTo(NOW);
  }

  @Test
  void whatThePredecessorHasNotHeardIsHandedOn() {
    ReportGap before =
        new ReportGap(START.plusSeconds(10), START.plusSeconds(20), START.plusSeconds(5));
    leadership.begin(before);

    assertThat(availability.of(List.of(told()), null, START)).isEqualTo(before);
  }

  @Test
  void aReplicaThatWaitsSaysNothingOfWhatIsHeard() {
    assertThat(availability.heardSince()).isNull();
    leadership.begin(null);
    assertThat(availability.heardSince()).isEqualTo(NOW);
    availability.missed();
    assertThat(availability.heardSince()).isEqualTo(NOW);
  }

  @Test
  void aTrainingThatIsHeardNeedsNoPodThatWasTold() {
    leadership.begin(null);
    Pod untold = new PodBuilder().withNewMetadata().endMetadata().build();
    Instant looked = Objects.requireNonNull(availability.heardSince());

    assertThat(availability.of(List.of(told(), untold), looked.plusMillis(1), START)).isNull();
    assertThat(availability.of(List.of(told(), untold), looked, START))
        .as("heard before this was told to pods")
        .isNotNull();
  }

  @Test
  void whatWasTurnedAwayFromAnAddressIsAGapOfItsPodsAlone() {
    leadership.begin(null);
    availability.missed("10.0.0.7");
    Pod there =
        new PodBuilder(told())
            .withNewStatus()
            .withPodIP("10.1.0.1")
            .withHostIP("10.0.0.7")
            .endStatus()
            .build();
    Pod elsewhere =
        new PodBuilder(told())
            .withNewStatus()
            .withPodIP("10.1.0.2")
            .withHostIP("10.0.0.8")
            .endStatus()
            .build();

    assertThat(availability.of(List.of(there), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
    assertThat(availability.of(List.of(elsewhere), null, START)).isNull();
  }

  @Test
  void anAuthorityThatComesAndGoesIsAGapWhoeverLooksFirst() {
    leadership.begin(null);
    Pod pod = told();
    ProgressEndpoint before = endpoint;
    assertThat(availability.of(List.of(pod), null, START)).isNull();

    endpoint = new ProgressEndpoint("https://o:9444", "ANOTHER");
    assertThat(availability.of(List.of(pod), null, START)).isNotNull();
    endpoint = before;

    assertThat(availability.of(List.of(pod), null, START))
        .isEqualTo(new ReportGap(Instant.MIN, NOW));
  }
}
