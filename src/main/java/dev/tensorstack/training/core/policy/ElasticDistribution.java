package dev.tensorstack.training.core.policy;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Divides the nodes of an elastic job among its replica types (docs/concepts.md, Elastic jobs).
 *
 * <p>Types of weight 0 keep their number. The rest is divided by weight with the method of the
 * largest remainder, ties in the order of the list; the first type never gets less than one.
 */
public final class ElasticDistribution {

  private ElasticDistribution() {}

  /**
   * A replica type's claim.
   *
   * @param replicas the number it keeps when its weight is 0, at least 0
   * @param weight its share, at least 0
   */
  public record Share(int replicas, int weight) {}

  /**
   * Divides nodes.
   *
   * @param nodes the nodes wanted in all, at least 0
   * @param shares the types in the order of the spec
   * @return the number of nodes of each type, in the same order; the sum is {@code nodes} unless
   *     fixed types and the first type's one node need more, or no type has a weight
   */
  public static int[] distribute(int nodes, List<Share> shares) {
    int[] result = new int[shares.size()];
    // Fixed types together may have more than an int holds, where no rule was asked.
    long rest = nodes;
    long weights = 0;
    for (int i = 0; i < result.length; i++) {
      Share share = shares.get(i);
      if (share.weight() == 0) {
        result[i] = share.replicas();
        rest -= share.replicas();
      }
      weights += share.weight();
    }
    if (weights > 0) {
      divide((int) Math.max(0, rest), weights, shares, result);
      lendToFirst(shares, result);
    }
    return result;
  }

  private static void divide(int rest, long weights, List<Share> shares, int[] result) {
    BigInteger total = BigInteger.valueOf(weights);
    BigInteger[] remainders = new BigInteger[result.length];
    int left = rest;
    for (int i = 0; i < result.length; i++) {
      BigInteger[] quotient =
          BigInteger.valueOf(rest)
              .multiply(BigInteger.valueOf(shares.get(i).weight()))
              .divideAndRemainder(total);
      remainders[i] = quotient[1];
      if (shares.get(i).weight() > 0) {
        result[i] = quotient[0].intValueExact();
        left -= result[i];
      }
    }
    IntStream.range(0, result.length)
        .filter(i -> shares.get(i).weight() > 0)
        .boxed()
        .sorted(Comparator.comparing((Integer i) -> remainders[i]).reversed())
        .limit(left)
        .forEach(i -> result[i]++);
  }

  /** The master is never removed: the first type takes one from the richest that can give. */
  private static void lendToFirst(List<Share> shares, int[] result) {
    if (shares.get(0).weight() == 0 || result[0] > 0) {
      return;
    }
    IntStream.range(1, result.length)
        .filter(i -> shares.get(i).weight() > 0 && result[i] > 0)
        .boxed()
        .max(Comparator.comparingInt((Integer i) -> result[i]).thenComparing(i -> i))
        .ifPresent(i -> result[i]--);
    result[0] = 1;
  }
}
