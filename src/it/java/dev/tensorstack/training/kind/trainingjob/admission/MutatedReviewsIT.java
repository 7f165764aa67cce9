package dev.tensorstack.training.kind.trainingjob.admission;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Tag;

/** Ten thousand odd jobs. It needs no control plane, only time. */
@QuarkusTest
@Tag("random")
class MutatedReviewsIT extends MutatedReviews {

  @Override
  int mutants() {
    return 10_000;
  }
}
