package dev.tensorstack.training.runtime;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;

/**
 * The operator's entry: {@code check ADDRESS…} asks an operator that runs, as the chart's test does
 * with the same image; everything else starts one.
 */
@QuarkusMain
public final class Main {

  private static final String CHECK = "check";
  private static final Duration CHECK_LIMIT = Duration.ofSeconds(60);

  private Main() {}

  /**
   * Runs the operator until it is told to end, or the check.
   *
   * @param arguments {@code check} and addresses, or {@code -Dproperty=value}
   */
  public static void main(String... arguments) {
    if (arguments.length > 0 && arguments[0].equals(CHECK)) {
      boolean well =
          new ServiceCheck(CHECK_LIMIT, System.out)
              .answer(Arrays.stream(arguments).skip(1).map(URI::create).toList());
      System.exit(well ? 0 : 1);
    }
    Quarkus.run(arguments);
  }
}
