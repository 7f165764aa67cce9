package dev.tensorstack.training.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.policy.ElasticDistribution.Share;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElasticDistributionTest {

  /** Types as {@code replicas*weight}, in the order of the spec. */
  @ParameterizedTest
  @CsvSource({
    "4, 1*1,            4",
    "4, 1*1 1*1,        2 2",
    "5, 1*1 1*1,        3 2",
    "5, 1*1 1*3,        1 4",
    "1, 1*1 1*3,        1 0",
    "2, 1*1 1*9,        1 1",
    "7, 1*0 1*1,        1 6",
    "7, 2*0 1*1 1*2,    2 2 3",
    "7, 1*1 3*0 1*1,    2 3 2",
    "3, 1*1 0*1 0*1,    1 1 1",
  })
  void nodesAreDividedByWeight(int nodes, String types, String expected) {
    List<Share> shares =
        Arrays.stream(types.split(" "))
            .map(type -> type.split("\\*"))
            .map(pair -> new Share(Integer.parseInt(pair[0]), Integer.parseInt(pair[1])))
            .toList();

    assertThat(ElasticDistribution.distribute(nodes, shares))
        .containsExactly(Arrays.stream(expected.split(" ")).mapToInt(Integer::parseInt).toArray());
  }

  @Test
  void theSumIsRightAndNothingIsNegativeForAnyWeights() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      int types = 1 + random.nextInt(5);
      List<Share> shares =
          random
              .ints(types, 0, 4)
              .mapToObj(weight -> new Share(1 + random.nextInt(3), weight))
              .toList();
      int fixed =
          shares.stream().filter(share -> share.weight() == 0).mapToInt(Share::replicas).sum();
      int nodes = fixed + 1 + random.nextInt(50);
      int[] result = ElasticDistribution.distribute(nodes, shares);

      boolean scales = shares.stream().anyMatch(share -> share.weight() > 0);
      assertThat(Arrays.stream(result).sum())
          .as("seed %d, %d nodes, %s", seed, nodes, shares)
          .isEqualTo(scales ? nodes : fixed);
      assertThat(result[0]).as("seed %d: the master stays", seed).isPositive();
      assertThat(Arrays.stream(result)).as("seed %d", seed).allMatch(count -> count >= 0);
    }
  }
}
