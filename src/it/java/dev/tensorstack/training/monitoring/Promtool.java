package dev.tensorstack.training.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** Prometheus' own checker. */
final class Promtool {

  private Promtool() {}

  /**
   * Runs it and insists on success.
   *
   * @param arguments without the program's name
   * @throws AssertionError when it finds something; carries its words
   */
  static void run(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                ControlPlaneBinaries.provide(EnumSet.of(Tool.PROMTOOL))
                    .binary(Tool.PROMTOOL)
                    .toString()));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new AssertionError("promtool ended with " + exitCode + ":\n" + said);
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in promtool", interrupted);
    }
  }
}
