package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

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
      if (!tool.manifests().isEmpty()) {
        Optional<String> failure =
            copyManifests(go.get(), tool, BinarySource.manifestsBeside(target));
        if (failure.isPresent()) {
          return failure;
        }
      }
      progress.say("built " + tool.program() + " in " + step.elapsedSeconds() + " s");
      return Optional.empty();
    }
  }

  /** All in one file, from the module that has just been built. */
  private Optional<String> copyManifests(Path go, Tool tool, Path target)
      throws InterruptedException {
    try {
      Process list =
          new ProcessBuilder(go.toString(), "list", "-m", "-f", "{{.Dir}}", tool.manifestModule())
              .directory(modules.resolve(tool.module()).toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(list.getInputStream().readAllBytes(), UTF_8).trim();
      if (list.waitFor() != 0) {
        return Optional.of(
            "build from source: go list finds no folder of "
                + (tool.manifestModule() + ":\n" + output));
      }
      StringBuilder all = new StringBuilder();
      for (String manifests : tool.manifests()) {
        try (Stream<Path> files = Files.walk(Path.of(output, manifests))) {
          for (Path file : files.filter(GoBuild::isManifest).sorted().toList()) {
            all.append("---\n").append(Files.readString(file)).append('\n');
          }
        }
      }
      Files.writeString(target, all);
      return Optional.empty();
    } catch (IOException | UncheckedIOException e) {
      return Optional.of(
          "build from source: the manifests of " + tool.program() + " cannot be copied: " + e);
    }
  }

  private static boolean isManifest(Path file) {
    return file.toString().endsWith(".yaml") && Files.isRegularFile(file);
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
