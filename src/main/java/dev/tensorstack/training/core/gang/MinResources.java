package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangMembers;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a gang needs in all, as PodGroups write it. */
final class MinResources {

  private static final BigInteger KIBI = BigInteger.valueOf(1024);
  private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");

  private MinResources() {}

  /**
   * Adds up the requests of pods.
   *
   * @param gang the pods
   * @return quantities by resource, in the order of their names: whole numbers, thousandths of a
   *     CPU as {@code 1500m}, bytes with the largest of the suffixes {@code Ki} to {@code Ei} that
   *     loses nothing; empty when nothing is requested
   */
  static Map<String, Object> of(List<GangMembers.Pods> gang) {
    Map<String, BigDecimal> sum = new TreeMap<>();
    for (GangMembers.Pods pods : gang) {
      BigDecimal count = BigDecimal.valueOf(pods.count());
      PodRequests.of(pods.spec())
          .forEach((name, amount) -> sum.merge(name, amount.multiply(count), BigDecimal::add));
    }
    Map<String, Object> quantities = new TreeMap<>();
    sum.forEach(
        (name, amount) -> {
          if (amount.signum() > 0) {
            quantities.put(name, isBytes(name) ? bytes(amount) : number(amount));
          }
        });
    return quantities;
  }

  private static boolean isBytes(String resource) {
    return resource.equals("memory")
        || resource.equals("ephemeral-storage")
        || resource.startsWith("hugepages-");
  }

  /** Kubernetes rounds up as well what is finer than it can count. */
  private static String number(BigDecimal amount) {
    BigInteger thousandths =
        amount.movePointRight(3).setScale(0, RoundingMode.CEILING).toBigInteger();
    BigInteger[] whole = thousandths.divideAndRemainder(BigInteger.valueOf(1000));
    return whole[1].signum() == 0 ? whole[0].toString() : thousandths + "m";
  }

  private static String bytes(BigDecimal amount) {
    BigInteger left = amount.setScale(0, RoundingMode.CEILING).toBigInteger();
    int suffix = 0;
    while (suffix < BINARY.size() - 1 && left.mod(KIBI).signum() == 0) {
      left = left.divide(KIBI);
      suffix++;
    }
    return left + BINARY.get(suffix);
  }
}
