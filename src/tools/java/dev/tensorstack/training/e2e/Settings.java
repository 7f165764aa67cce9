package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;

/**
 * What the run was told by {@code -De2e.…}; docs/operations/e2e.md. A test whose means were not
 * given is skipped, and says what is missing.
 */
final class Settings {

  private Settings() {}

  /** The repository of the operator's image. */
  static String repository() {
    String image = image();
    return image.substring(0, image.lastIndexOf(':'));
  }

  /** The tag of the operator's image. */
  static String tag() {
    String image = image();
    return image.substring(image.lastIndexOf(':') + 1);
  }

  private static String image() {
    String image = optional("e2e.image").orElse("");
    assertThat(image).as("-De2e.image, the operator's image as REPOSITORY:TAG").matches(".+:[^/]+");
    return image;
  }

  /** {@code native} or {@code jvm}, which of the chart's variants the image is. */
  static String variant() {
    return optional("e2e.variant").orElse("native");
  }

  /** An image with Python, PyTorch and bash. */
  static String pytorchImage() {
    return required("e2e.pytorch.image", "an image with Python, PyTorch and bash");
  }

  /** The node that may be stopped. */
  static String node() {
    return required("e2e.node", "the node that may be stopped");
  }

  /** The command that stops the node, containers and all. */
  static String nodeStop() {
    return required("e2e.node.stop", "a command that stops the node, containers and all");
  }

  /** The command that starts the node again. */
  static String nodeStart() {
    return required("e2e.node.start", "a command that starts the node again");
  }

  /** A directory that is the same one on all nodes, and that every user may write to. */
  static Optional<String> sharedPath() {
    return optional("e2e.shared.path");
  }

  /** A storage class that gives volumes to pods on several nodes at once. */
  static Optional<String> storageClass() {
    return optional("e2e.storage.class");
  }

  private static Optional<String> optional(String name) {
    return Optional.ofNullable(System.getProperty(name)).filter(value -> !value.isBlank());
  }

  private static String required(String name, String meaning) {
    Optional<String> value = optional(name);
    assumeTrue(value.isPresent(), "-D" + name + " is not given: " + meaning);
    return value.orElseThrow();
  }
}
