package dev.tensorstack.training.webhook;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/**
 * The first thousand of the ten thousand hostile reviews of {@code FuzzedReviewsIT}. {@code
 * -Dfuzz.seed=N} for ten thousand other ones, {@code -Dfuzz.reviews=N} for another number.
 */
@QuarkusTest
@TestProfile(FuzzedReviews.BesideAnApiServer.class)
class FuzzedReviewsTest extends FuzzedReviews {

  @Override
  int reviews() {
    return Integer.getInteger("fuzz.reviews", Long.getLong("fuzz.seed") == null ? 1_000 : 10_000);
  }

  @Override
  long nanos() {
    return System.nanoTime();
  }
}
