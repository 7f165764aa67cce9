package dev.tensorstack.training.webhook;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/**
 * A thousand hostile reviews, others each time; ten thousand in {@code FuzzedReviewsIT}. {@code
 * -Dfuzz.seed=N}, as it is printed, for the ten thousand of a seed, {@code -Dfuzz.reviews=N} for
 * another number.
 */
@QuarkusTest
@TestProfile(FuzzedReviews.BesideAnApiServer.class)
class FuzzedReviewsTest extends FuzzedReviews {

  @Override
  int reviews() {
    return Integer.getInteger("fuzz.reviews", Long.getLong("fuzz.seed") == null ? 1_000 : 10_000);
  }
}
