package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Builds the programs from source with the Go that is installed, from pinned modules. */
final class GoBuild implements BinarySource {
  private final Path modules;
  private final Progress progress;

  /**
   * Builds from the Go modules in a folder.
   *
   * @param modules the folder that holds one Go module for each {@link Tool#module()}
   */
  GoBuild(Path modules, Progress progress) {
    this.modules = modules;
    this.progress = progress;
  }

  @Override
  public Optional<String> fetch(Tool tool, Path target) throws InterruptedException {
    Optional<Path> go = findGo();
    if (go.isEmpty()) {
      return Optional.of(
          "build from source: there is no Go on the PATH (install Go 1.26 or newer, https://go.dev/dl)");
    }
    Path log = target.resolveSibling("go-build-" + tool.program() + ".log");
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String what =
        "building " + tool.program() + " " + tool.version() + " from source (minutes, only once)";
    try (Progress.Step step = progress.begin(what, () -> "")) {
      GuardedProcess build =
          GuardedProcess.start(
              "go-build",
              List.of(
                  "nice",
                  go.get().toString(),
                  "build",
                  "-trimpath",
                  "-buildvcs=false",
                  "-tags=" + tool.buildTags(),
                  "-ldflags",
                  tool.linkerFlags(),
                  "-o",
                  target.toAbsolutePath().toString(),
                  tool.goPackage()),
              modules.resolve(tool.module()),
              Map.of("CGO_ENABLED", "0", "GOWORK", "off"),
              log,
              null);
      int exitCode;
      try {
        exitCode = build.waitFor();
      } catch (InterruptedException e) {
        build.stop();
        throw e;
      }
      if (exitCode != 0) {
        return Optional.of(
            "build from source: go build ended with " + exitCode + ":\n" + build.lastLines(20));
      }
      progress.say("built " + tool.program() + " in " + step.elapsedSeconds() + " s");
      return Optional.empty();
    }
  }

  private static Optional<Path> findGo() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(Stream.of(path.split(":", -1)), Stream.of("/usr/local/go/bin"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "go"))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
