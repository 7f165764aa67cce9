package dev.tensorstack.training.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What an API server tells of itself is read from its metrics, and can be compared. */
class ApiServerUsageTest {

  private static final String METRICS =
      """
      # TYPE go_memstats_alloc_bytes gauge
      go_memstats_alloc_bytes 1
      go_memstats_alloc_bytes_total 1.5e+06
      go_memstats_mallocs_total 20000
      process_cpu_seconds_total 12.5
      """;

  @Test
  void theTotalsAreRead() {
    assertThat(ApiServerUsage.parse(METRICS))
        .isEqualTo(new ApiServerUsage(1_500_000, 20_000, 12.5));
  }

  @Test
  void whatIsNotToldIsNotTakenForNothing() {
    assertThatThrownBy(() -> ApiServerUsage.parse("process_cpu_seconds_total 1\n"))
        .hasMessageContaining("go_memstats_alloc_bytes_total");
  }

  @Test
  void aShareOfADifferenceIsTheCostOfOne() {
    assertThat(new ApiServerUsage(50, 30, 3).since(new ApiServerUsage(10, 10, 1)).dividedBy(4))
        .isEqualTo(new ApiServerUsage(10, 5, 0.5));
  }
}
