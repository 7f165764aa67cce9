package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.ElasticIndexes.PodReadiness;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which replicas go, and which come. */
class ElasticIndexesTest {

  /**
   * PodReadinesses by index: R ready, N not ready, S starting, U not scheduled, - no such replica.
   */
  private static Map<Integer, PodReadiness> present(String letters) {
    Map<Integer, PodReadiness> present = new LinkedHashMap<>();
    for (int i = 0; i < letters.length(); i++) {
      switch (letters.charAt(i)) {
        case 'R' -> present.put(i, PodReadiness.READY);
        case 'S' -> present.put(i, PodReadiness.STARTING);
        case 'N' -> present.put(i, PodReadiness.NOT_READY);
        case 'U' -> present.put(i, PodReadiness.NOT_SCHEDULED);
        default -> {}
      }
    }
    return present;
  }

  private static String text(List<Integer> indexes) {
    return String.join(" ", indexes.stream().map(String::valueOf).toList());
  }

  @ParameterizedTest
  @CsvSource({
    // Nothing changes.
    "3, RRR, false, 0 1 2",
    "2, R-R, false, 0 2",
    // More: the lowest that are free.
    "4, '', true, 0 1 2 3",
    "4, RR, true, 0 1 2 3",
    "3, R-R, false, 0 1 2",
    "5, -R-R, false, 0 1 2 3 4",
    // Fewer: not scheduled, then not ready, then the highest.
    "2, RRRR, true, 0 1",
    "3, RURR, true, 0 2 3",
    "2, RNRU, true, 0 2",
    "2, RUNR, false, 0 3",
    "2, NNUU, false, 0 1",
    "1, SN, false, 1",
    "1, US, false, 1",
    "1, UUUR, false, 3",
    "0, RR, false, ''",
    // The master is never given up.
    "1, UR, true, 0",
    "2, URR, true, 0 1",
    "1, -R, true, 0",
  })
  void whatWorksIsTouchedLast(int count, String present, boolean master, String chosen) {
    assertThat(text(ElasticIndexes.choose(count, present(present), master))).isEqualTo(chosen);
  }

  @Test
  void choosingAgainChangesNothing() {
    long seed = 20261121;
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder letters = new StringBuilder();
      for (int i = random.nextInt(8); i > 0; i--) {
        letters.append("RNU-".charAt(random.nextInt(4)));
      }
      int count = random.nextInt(8);
      boolean master = random.nextBoolean();
      Map<Integer, PodReadiness> present = present(letters.toString());
      List<Integer> chosen = ElasticIndexes.choose(count, present, master);
      assertThat(chosen).as("seed %d, %s", seed, letters).hasSize(count).isSorted();
      Map<Integer, PodReadiness> then = new LinkedHashMap<>();
      chosen.forEach(
          index ->
              then.put(index, PodReadiness.values()[random.nextInt(PodReadiness.values().length)]));
      assertThat(ElasticIndexes.choose(count, then, master)).isEqualTo(chosen);
      assertThat(Stream.of(0).filter(zero -> master && count > 0)).allMatch(chosen::contains);
    }
  }

  /** Pods come into the cache in any order. */
  @Test
  void theOrderInWhichReplicasAreSeenDoesNotMatter() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      List<Integer> indexes =
          new ArrayList<>(IntStream.range(0, random.nextInt(9)).boxed().toList());
      Map<Integer, PodReadiness> one = new LinkedHashMap<>();
      indexes.forEach(
          index ->
              one.put(index, PodReadiness.values()[random.nextInt(PodReadiness.values().length)]));
      Collections.shuffle(indexes, random);
      Map<Integer, PodReadiness> other = new LinkedHashMap<>();
      indexes.forEach(index -> other.put(index, one.get(index)));
      int count = random.nextInt(9);
      boolean master = random.nextBoolean();

      assertThat(ElasticIndexes.choose(count, other, master))
          .as("seed %d, %s", seed, one)
          .isEqualTo(ElasticIndexes.choose(count, one, master));
    }
  }
}
