package dev.tensorstack.training.tryout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What an interpreter says about itself.
 *
 * @param executable the interpreter itself, behind links and version managers
 * @param version major and minor version, such as {@code 3.11}
 * @param missing the modules needed for training that it cannot import; empty when it has them all
 * @param torch the version of PyTorch, empty without
 * @param makesVenvs whether {@code python -m venv} works with it
 */
record PythonProbe(
    Path executable, String version, List<String> missing, String torch, boolean makesVenvs) {

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  /**
   * Looks for all modules first: importing PyTorch takes seconds and is not worth it without the
   * others.
   */
  private static final String SCRIPT =
      """
      import importlib, importlib.util, sys
      needed = ["numpy", "sklearn", "tensorboard", "torch", "torch.distributed.run"]
      missing = [name for name in needed[:4] if importlib.util.find_spec(name) is None]
      for name in [] if missing else needed:
          try:
              importlib.import_module(name)
          except Exception:
              missing.append(name)
      torch = "" if missing else sys.modules["torch"].__version__
      venv = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
      print("probe.executable=" + sys.executable)
      print("probe.version=%d.%d" % sys.version_info[:2])
      print("probe.missing=" + ",".join(missing))
      print("probe.torch=" + torch)
      print("probe.venv=" + str(venv))
      """;

  /**
   * Asks an interpreter.
   *
   * @param runner runs it
   * @param interpreter a path, or a name to be looked up on the PATH
   * @return empty when there is no such program, or it is not a Python 3
   * @throws InterruptedException when the calling thread was interrupted
   */
  static Optional<PythonProbe> of(CommandRunner runner, String interpreter)
      throws InterruptedException {
    try {
      CommandRunner.Result result = runner.run(List.of(interpreter, "-c", SCRIPT), TIMEOUT);
      return result.succeeded() ? parse(result.output()) : Optional.empty();
    } catch (IOException noSuchProgram) {
      return Optional.empty();
    }
  }

  /** Reads the answer; other lines (warnings of imported modules) are ignored. */
  static Optional<PythonProbe> parse(String output) {
    Map<String, String> values = new HashMap<>();
    output
        .lines()
        .filter(line -> line.startsWith("probe.") && line.contains("="))
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              values.put(
                  line.substring("probe.".length(), equals), line.substring(equals + 1).strip());
            });
    String executable = values.getOrDefault("executable", "");
    String version = values.getOrDefault("version", "");
    if (executable.isEmpty() || version.isEmpty()) {
      return Optional.empty();
    }
    List<String> missing =
        Stream.of(values.getOrDefault("missing", "").split(","))
            .filter(name -> !name.isBlank())
            .toList();
    return Optional.of(
        new PythonProbe(
            Path.of(executable),
            version,
            missing,
            values.getOrDefault("torch", ""),
            "True".equals(values.get("venv"))));
  }

  /** Whether training can run with it as it is. */
  boolean complete() {
    return missing.isEmpty();
  }

  /** One line for people: which one it is and what it lacks. */
  String describe() {
    return executable
        + " (Python "
        + version
        + (complete() ? ", PyTorch " + torch : ", without " + String.join(", ", missing))
        + ")";
  }
}
