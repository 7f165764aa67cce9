package dev.tensorstack.training.release;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a script of {@code .ci} said.
 *
 * @param exitCode 0 when all went well
 * @param output what it printed, and its complaints
 */
record Script(int exitCode, String output) {

  /** Runs one, with further variables of the environment. */
  static Script run(Map<String, String> environment, String name, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", ".ci/" + name));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("script", ".txt");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("no end: " + command);
      }
      return new Script(process.exitValue(), Files.readString(output, UTF_8));
    } finally {
      Files.delete(output);
    }
  }

  /** Its output; it has to have gone well. */
  String orThrow() {
    if (exitCode != 0) {
      throw new AssertionError("exit code " + exitCode + ": " + output);
    }
    return output;
  }
}
