package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.operator.OperatorProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** As which program the operator runs. */
enum OperatorKind {
  JAR,
  NATIVE;

  private static final String BINARY = "operator.binary";

  /** The name in tables. */
  String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The program and its arguments. */
  List<String> program() {
    return this == JAR
        ? OperatorProcess.jar(
            System.getProperty("operator.java.options", "-Xmx512m -XX:+UseSerialGC")
                + Profiles.recording())
        : OperatorProcess.binary(
            Path.of(System.getProperty(BINARY, "")).toAbsolutePath().toString());
  }

  /** What {@link OperatorProcess} starts when it is not told: the binary if one is named. */
  static OperatorKind ofPackaged() {
    return System.getProperty(BINARY, "").isEmpty() ? JAR : NATIVE;
  }

  /**
   * The kinds of the system property {@code operators}; without it the jar, and the binary of
   * {@code operator.binary} if there is one.
   *
   * @throws IllegalArgumentException when the binary is asked for and does not exist
   */
  static List<OperatorKind> chosen() {
    String binary = System.getProperty(BINARY, "");
    boolean there = !binary.isEmpty() && Files.isExecutable(Path.of(binary));
    String names = System.getProperty("operators", "");
    if (names.isEmpty()) {
      return there ? List.of(JAR, NATIVE) : List.of(JAR);
    }
    List<OperatorKind> kinds = new ArrayList<>();
    for (String name : names.split(",", -1)) {
      OperatorKind kind = valueOf(name.strip().toUpperCase(Locale.ROOT));
      if (kind == NATIVE && !there) {
        throw new IllegalArgumentException(
            "operators=native: -D" + BINARY + " must name the native binary, not '" + binary + "'");
      }
      kinds.add(kind);
    }
    return kinds;
  }
}
