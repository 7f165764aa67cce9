package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the Lease says of the reports that its holder has heard. */
class HeardReportsTest {

  private static final String SINCE = "2026-01-01T00:00:00Z";

  private static Lease lease(@Nullable String holder, @Nullable String annotation) {
    LeaseBuilder lease =
        new LeaseBuilder()
            .withNewMetadata()
            .withName("operator")
            .endMetadata()
            .withNewSpec()
            .withHolderIdentity(holder)
            .endSpec();
    return annotation == null
        ? lease.build()
        : lease
            .editMetadata()
            .addToAnnotations(HeardReports.ANNOTATION, annotation)
            .endMetadata()
            .build();
  }

  @Test
  void theHolderOrTheOneThatHasGivenItBackIsBelieved() {
    assertThat(HeardReports.since(lease("a_1", SINCE + " a_1"))).isEqualTo(Instant.parse(SINCE));
    assertThat(HeardReports.since(lease("", SINCE + " a_1"))).isEqualTo(Instant.parse(SINCE));
    assertThat(HeardReports.since(lease(null, SINCE + " a_1"))).isEqualTo(Instant.parse(SINCE));
  }

  @Test
  void whatSomebodyElseHasHeardOrNobodyCanReadCountsForNothing() {
    assertThat(HeardReports.since(lease("b_2", SINCE + " a_1"))).isEqualTo(Instant.MAX);
    assertThat(HeardReports.since(lease("a_1", null))).isEqualTo(Instant.MAX);
    assertThat(HeardReports.since(lease("a_1", "yesterday a_1"))).isEqualTo(Instant.MAX);
    assertThat(HeardReports.since(lease("a_1", SINCE))).isEqualTo(Instant.MAX);
  }
}
