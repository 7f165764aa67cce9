package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Builds the programs from source with the Go that is installed, from pinned modules. For
 * Kubernetes in another version than the default there is no pinned one: it is made for the time of
 * the build, and Go compares what it downloads for it with its public record of checksums.
 */
final class GoBuild implements BinarySource {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("CGO_ENABLED", "0", "GOWORK", "off");

  private final KubernetesVersion kubernetes;
  private final Path modules;
  private final Progress progress;

  /**
   * Builds from the Go modules in a folder.
   *
   * @param kubernetes the version of the programs of Kubernetes
   * @param modules the folder that holds one Go module for each {@link Tool#module()}
   */
  GoBuild(KubernetesVersion kubernetes, Path modules, Progress progress) {
    this.kubernetes = kubernetes;
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
        "building "
            + tool.program()
            + (" " + tool.version(kubernetes))
            + " from source (minutes, only once)";
    try (Progress.Step step = progress.begin(what, () -> "")) {
      Optional<String> failure;
      boolean bringsItsModule = bringsItsModule(tool, kubernetes);
      if (tool.moduleToComplete().isEmpty() && !bringsItsModule) {
        failure = build(go.get(), tool, modules.resolve(tool.module()), target, log);
      } else {
        Path folder = Files.createTempDirectory("go-build-");
        try {
          if (bringsItsModule) {
            unpackModule(go.get(), folder);
          } else {
            complete(go.get(), tool, folder);
          }
          failure = build(go.get(), tool, folder, target, log);
        } finally {
          ControlPlane.delete(folder);
        }
      }
      if (failure.isEmpty()) {
        progress.say("built " + tool.program() + " in " + step.elapsedSeconds() + " s");
      }
      return failure;
    } catch (IOException | UncheckedIOException e) {
      return Optional.of("build from source: " + e.getMessage());
    }
  }

  /** Whether the module for a program is made from the one that it was released with. */
  static boolean bringsItsModule(Tool tool, KubernetesVersion kubernetes) {
    return tool.ofKubernetes() && !kubernetes.equals(KubernetesVersion.DEFAULT);
  }

  private Optional<String> build(Path go, Tool tool, Path module, Path target, Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("nice", go.toString(), "build"));
    if (bringsItsModule(tool, kubernetes)) {
      command.add("-mod=mod"); // adds the checksums of the modules beside Kubernetes to go.sum
    }
    command.addAll(
        List.of(
            "-trimpath",
            "-buildvcs=false",
            "-tags=" + tool.buildTags(),
            "-ldflags",
            tool.linkerFlags(kubernetes),
            "-o",
            target.toAbsolutePath().toString(),
            tool.goPackage()));
    GuardedProcess build =
        GuardedProcess.start("go-build", command, module, ENVIRONMENT, log, null);
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
      Path source = Path.of(ask(go, module, "list", "-m", "-f", "{{.Dir}}", tool.manifestModule()));
      copyManifests(tool, source, BinarySource.manifestsBeside(target));
    }
    return Optional.empty();
  }

  /** Makes the module for another version of Kubernetes than the default in an empty folder. */
  private void unpackModule(Path go, Path folder) throws IOException, InterruptedException {
    Path asking = Files.createDirectory(folder.resolve("asking"));
    Files.writeString(asking.resolve("go.mod"), "module asking\n");
    String query = KubernetesModule.query(kubernetes);
    JsonNode answer =
        new ObjectMapper().readTree(ask(go, asking, "mod", "download", "-json", query));
    Path released = Path.of(answer.path("Dir").asText());
    Files.writeString(
        folder.resolve("go.mod"),
        KubernetesModule.goMod(Files.readString(released.resolve("go.mod")), kubernetes));
    Files.write(folder.resolve("go.sum"), Files.readAllBytes(released.resolve("go.sum")));
  }

  /** Puts a module with all that it lacks into a folder, and with it the module that needs it. */
  private void complete(Path go, Tool tool, Path folder) throws IOException, InterruptedException {
    Path own = modules.resolve(tool.module());
    String path = tool.moduleToComplete().replaceFirst("@.*", "");
    String name = path.replaceFirst(".*/", "");
    // By itself, because its replacement is not there yet; go.sum says what it has to be.
    Path asking = Files.createDirectory(folder.resolve("asking"));
    Files.writeString(asking.resolve("go.mod"), "module asking\n");
    Files.copy(own.resolve("go.sum"), asking.resolve("go.sum"));
    JsonNode answer =
        new ObjectMapper()
            .readTree(ask(go, asking, "mod", "download", "-json", tool.moduleToComplete()));
    copyFolder(Path.of(answer.path("Dir").asText()), folder.resolve(name));
    copyFolder(own, folder);
  }

  /** What the go command prints. */
  private static String ask(Path go, Path module, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(go.toString()));
    command.addAll(List.of(arguments));
    Path complaints = Files.createTempFile("go-", ".log"); // it names there what it downloads
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(module.toFile()).redirectError(complaints.toFile());
    builder.environment().putAll(ENVIRONMENT);
    Process process = builder.start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), UTF_8).trim();
      if (process.waitFor() != 0) {
        throw new IOException(
            "go " + List.of(arguments) + " failed:\n" + output + Files.readString(complaints));
      }
      return output;
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(complaints);
    }
  }

  /** All in one file. */
  private static void copyManifests(Tool tool, Path source, Path target) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String manifests : tool.manifests()) {
      try (Stream<Path> files = Files.walk(source.resolve(manifests))) {
        for (Path file : files.filter(GoBuild::isManifest).sorted().toList()) {
          all.append("---\n").append(Files.readString(file)).append('\n');
        }
      }
    }
    Files.writeString(target, all);
  }

  private static boolean isManifest(Path file) {
    return file.toString().endsWith(".yaml") && Files.isRegularFile(file);
  }

  /** The contents only: what Go keeps cannot be written, and what is copied has to be deleted. */
  private static void copyFolder(Path source, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = target.resolve(source.relativize(file));
        Files.createDirectories(Objects.requireNonNull(copy.getParent()));
        Files.write(copy, Files.readAllBytes(file));
      }
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
