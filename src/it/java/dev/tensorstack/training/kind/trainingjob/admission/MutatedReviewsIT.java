package dev.tensorstack.training.kind.trainingjob.admission;

import io.quarkus.test.junit.QuarkusTest;

/**
 * Ten thousand odd jobs. It needs no control plane, but the time while tests that have one wait.
 */
@QuarkusTest
class MutatedReviewsIT extends MutatedReviews {

  @Override
  int mutants() {
    return 10_000;
  }
}
