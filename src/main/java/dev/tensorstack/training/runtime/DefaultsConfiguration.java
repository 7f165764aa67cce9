package dev.tensorstack.training.runtime;

import dev.tensorstack.training.kind.ClusterDefaults;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what an administrator gives new jobs. */
final class DefaultsConfiguration {

  private static final String PREFIX = "operator.defaults.";
  private static final Pattern LOCAL_QUEUE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]*");

  private DefaultsConfiguration() {}

  /**
   * Reads the defaults of all kinds.
   *
   * @param given properties and environment variables
   * @return the defaults
   * @throws IllegalArgumentException when one is wrong
   */
  static ClusterDefaults ofAllKinds(OperatorConfiguration.Defaults given) {
    return new ClusterDefaults(
        given
            .cleanUpPolicy()
            .filter(word -> !word.isBlank())
            .map(DefaultsConfiguration::cleanUp)
            .orElse(null),
        given.ttlSecondsAfterFinished().map(DefaultsConfiguration::seconds).orElse(null),
        given
            .queue()
            .filter(name -> !name.isBlank())
            .map(DefaultsConfiguration::queue)
            .orElse(null));
  }

  /**
   * Reads the image of TensorBoard.
   *
   * @param given properties and environment variables
   * @return the image; null for the operator's own default
   * @throws IllegalArgumentException when it cannot be one
   */
  static @Nullable String tensorboardImage(OperatorConfiguration.Defaults given) {
    return given
        .tensorboardImage()
        .filter(text -> !text.isBlank())
        .map(DefaultsConfiguration::image)
        .orElse(null);
  }

  private static ClusterDefaults.CleanUp cleanUp(String word) {
    return Arrays.stream(ClusterDefaults.CleanUp.values())
        .filter(value -> value.name().equals(word))
        .findFirst()
        .orElseThrow(() -> wrong("clean-up-policy", word, "write All, Unfinished or None"));
  }

  private static String image(String name) {
    if (!IMAGE.matcher(name).matches()) {
      throw wrong("tensorboard-image", name, "write an image, such as registry/tensorboard:2.17.0");
    }
    return name;
  }

  private static int seconds(int number) {
    if (number < 0) {
      throw wrong("ttl-seconds-after-finished", "" + number, "write 0 or more, or leave it out");
    }
    return number;
  }

  private static String queue(String name) {
    if (!LOCAL_QUEUE.matcher(name).matches()) {
      throw wrong("queue", name, "write the name of a LocalQueue, which is a DNS label");
    }
    return name;
  }

  private static IllegalArgumentException wrong(String name, String value, String remedy) {
    return new IllegalArgumentException(PREFIX + name + " is '" + value + "': " + remedy);
  }
}
