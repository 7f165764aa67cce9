package dev.tensorstack.training.kind.trainingjob.admission;

import io.quarkus.test.junit.QuarkusTest;

/**
 * The first five hundred of the ten thousand odd jobs of {@code MutatedReviewsIT}. {@code
 * -Dmutation.seed=N} for ten thousand other ones.
 */
@QuarkusTest
class MutatedReviewsTest extends MutatedReviews {

  @Override
  int mutants() {
    return Long.getLong("mutation.seed") == null ? 500 : 10_000;
  }
}
