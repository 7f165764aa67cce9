package dev.tensorstack.training.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/**
 * A virtual environment of Python with the packages of a requirements file. It is made once, from
 * PyPI, and kept in the user's cache under a name that changes with the file.
 */
final class PythonVenv {

  private static final Path CACHE =
      Path.of(System.getProperty("user.home")).resolve(".cache/pytorchtrainingjob-operator/venv");

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private PythonVenv() {}

  /**
   * Finds or makes one.
   *
   * @param requirements a requirements file of pip
   * @return its interpreter
   * @throws AssertionError when there is no Python 3 that makes one, or pip could not install; it
   *     carries their words
   */
  static Path python(Path requirements) {
    try {
      Path home = CACHE.resolve(digest(Files.readString(requirements)));
      Path python = home.resolve("bin/python");
      Path complete = home.resolve("complete");
      if (Files.exists(complete) && Files.isExecutable(python)) {
        return python;
      }
      Timing timing = Timing.start();
      // What an interrupted run has left is thrown away.
      Program.within(PATIENCE, "python3", "-m", "venv", "--clear", home.toString()).orThrow();
      Program.within(
              PATIENCE,
              python.toString(),
              "-m",
              "pip",
              "install",
              "--quiet",
              "--disable-pip-version-check",
              "-r",
              requirements.toString())
          .orThrow();
      Files.createFile(complete);
      timing.report("pip install -r " + requirements);
      return python;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
