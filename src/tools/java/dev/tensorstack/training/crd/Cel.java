package dev.tensorstack.training.crd;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Pieces of CEL expressions. They use no function that Kubernetes 1.30 lacks; {@code has} instead
 * of optional fields, because it is the oldest way to say it.
 */
final class Cel {

  private static final Pattern SELF = Pattern.compile("\\bself\\b");

  private Cel() {}

  /** Whether a field is given: {@code has} for each step of a path that begins with a variable. */
  static String given(String path) {
    List<String> steps = new ArrayList<>();
    for (int dot = path.indexOf('.', path.indexOf('.') + 1);
        dot >= 0;
        dot = path.indexOf('.', dot + 1)) {
      steps.add("has(" + path.substring(0, dot) + ")");
    }
    steps.add("has(" + path + ")");
    return String.join(" && ", steps);
  }

  /** A field, or what is meant when it is absent. */
  static String orDefault(String path, String defaultValue) {
    return "(" + given(path) + " ? " + path + " : " + defaultValue + ")";
  }

  /** Whether a block with {@code enabled} is on; {@code enable} is the older spelling. */
  static String on(String block) {
    String on =
        "has(%1$s.enabled) ? %1$s.enabled : has(%1$s.enable) && %1$s.enable".formatted(block);
    return block.contains(".") ? "(" + given(block) + " && (" + on + "))" : "(" + on + ")";
  }

  /** How many replicas an entry of {@code replicaSpecs} has. */
  static String replicas(String entry) {
    // A policy knows no types: without int() it could not add them up.
    return "int(" + orDefault(entry + ".replicas", "1") + ")";
  }

  /** Whether an entry of {@code replicaSpecs} does not scale. */
  static String fixed(String entry) {
    return "(has(%1$s.scalingWeight) && %1$s.scalingWeight == 0)".formatted(entry);
  }

  /** The same about the stored object. */
  static String ofOld(String expression) {
    return SELF.matcher(expression).replaceAll("oldSelf");
  }

  /** Whether something is not what it was. */
  static String changed(String expression) {
    return expression + " != " + ofOld(expression);
  }

  /** A string literal. */
  static String text(String value) {
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
