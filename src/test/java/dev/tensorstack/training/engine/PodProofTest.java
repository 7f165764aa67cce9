package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PodProofTest {

  private final PodProof proof = new PodProof();

  @Test
  void aWatchThatLagsBehindIsAskedMoreAndMoreRarely() {
    assertThat(LongStream.range(0, 8).map(i -> proof.failed().toSeconds()))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 32L, 32L);
    assertThat(proof.isThere()).isFalse();
  }

  @Test
  void whatIsProvenStaysProven() {
    proof.found();
    assertThat(proof.isThere()).isTrue();
  }
}
