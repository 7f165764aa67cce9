package dev.tensorstack.training.webhook;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import org.junit.jupiter.api.Tag;

/** Ten thousand hostile reviews. It needs no control plane, only time. */
@QuarkusTest
@Tag("random")
@TestProfile(FuzzedReviews.BesideAnApiServer.class)
class FuzzedReviewsIT extends FuzzedReviews {

  @Override
  int reviews() {
    return 10_000;
  }
}
