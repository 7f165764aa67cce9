package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.ElasticDistribution.Share;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
    "3, 1*1 2147483647*0 2147483647*0, 1 2147483647 2147483647",
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

  /** What fixed types have is theirs, and nobody is a whole node away from its share. */
  @Test
  void fixedTypesKeepTheirNumberAndTheOthersGetTheirShare() {
    forRandomShares(
        5,
        (shares, nodes, seed) -> {
          int[] result = ElasticDistribution.distribute(nodes, shares);
          int fixed = 0;
          int weights = 0;
          for (Share share : shares) {
            fixed += share.weight() == 0 ? share.replicas() : 0;
            weights += share.weight();
          }
          for (int i = 0; i < result.length; i++) {
            Share share = shares.get(i);
            double exact = (double) (nodes - fixed) * share.weight() / Math.max(weights, 1);
            // The first type's one node is lent by another.
            int lent = shares.get(0).weight() > 0 && result[0] == 1 ? 1 : 0;
            if (share.weight() == 0) {
              assertThat(result[i]).as("%s %s", seed, shares).isEqualTo(share.replicas());
            } else {
              assertThat(Math.abs(result[i] - exact))
                  .as("%s: %d nodes, %s, type %d", seed, nodes, shares, i)
                  .isLessThan(1 + lent);
            }
          }
        });
  }

  /** With more than two, the method of the largest remainder may take one back. */
  @Test
  void oneNodeMoreTakesNothingFromAnybodyAsLongAsAtMostTwoTypesScale() {
    forRandomShares(
        2,
        (shares, nodes, seed) -> {
          int[] before = ElasticDistribution.distribute(nodes, shares);
          int[] after = ElasticDistribution.distribute(nodes + 1, shares);
          for (int i = 0; i < before.length; i++) {
            assertThat(after[i])
                .as("%s: %d nodes and one more, %s, type %d", seed, nodes, shares, i)
                .isGreaterThanOrEqualTo(before[i]);
          }
        });
  }

  @Test
  void oneNodeMoreChangesNoTypeByMoreThanOne() {
    forRandomShares(
        5,
        (shares, nodes, seed) -> {
          int[] before = ElasticDistribution.distribute(nodes, shares);
          int[] after = ElasticDistribution.distribute(nodes + 1, shares);
          for (int i = 0; i < before.length; i++) {
            assertThat(Math.abs(after[i] - before[i]))
                .as("%s: %d nodes and one more, %s, type %d", seed, nodes, shares, i)
                .isLessThanOrEqualTo(1);
          }
        });
  }

  private interface Property {
    void holds(List<Share> shares, int nodes, String seed);
  }

  /** Jobs of one to five types, of which so many at most scale, and at least one. */
  private static void forRandomShares(int mostScaling, Property property) {
    long seed = Long.getLong("elastic.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      int types = 1 + random.nextInt(5);
      int scaling = 1 + random.nextInt(Math.min(types, mostScaling));
      List<Share> shares = new ArrayList<>();
      for (int i = 0; i < types; i++) {
        shares.add(new Share(1 + random.nextInt(3), i < scaling ? 1 + random.nextInt(9) : 0));
      }
      Collections.shuffle(shares, random);
      int fixed =
          shares.stream().filter(share -> share.weight() == 0).mapToInt(Share::replicas).sum();
      property.holds(shares, fixed + 1 + random.nextInt(50), "-Delastic.seed=" + seed);
    }
  }
}
