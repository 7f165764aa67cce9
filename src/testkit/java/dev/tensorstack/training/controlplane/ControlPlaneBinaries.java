package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of the control plane, each of one version, in a cache outside of the checkout. Those
 * of Kubernetes are of the version that is {@linkplain KubernetesVersion#chosen() chosen}, in a
 * folder of its own; the others are in the folder of {@link KubernetesVersion#DEFAULT} for all.
 *
 * <p>What is not cached is downloaded; where that is not possible it is built with Go. Both take
 * place once per machine and version. Settings, as system property or environment variable:
 *
 * <ul>
 *   <li>{@code controlplane.binaries}, {@code CONTROL_PLANE_BINARIES}: a folder that has all the
 *       programs; it is used as it is. When those of Kubernetes are not of {@link
 *       KubernetesVersion#DEFAULT}, say which version they are.
 *   <li>{@code controlplane.cache}, {@code CONTROL_PLANE_CACHE}: the cache folder; default {@code
 *       ~/.cache/pytorchtrainingjob-operator/control-plane}.
 *   <li>{@code controlplane.modules}, {@code CONTROL_PLANE_MODULES}: the folder with the Go
 *       modules; default {@code src/testkit/controlplane} of the checkout that these classes are
 *       from.
 *   <li>{@code controlplane.download}, {@code CONTROL_PLANE_DOWNLOAD}: {@code false} goes straight
 *       to the build.
 * </ul>
 */
public final class ControlPlaneBinaries {
  private static final String MODULES = "src/testkit/controlplane";

  private final Path ofKubernetes;
  private final Path others;

  private ControlPlaneBinaries(Path ofKubernetes, Path others) {
    this.ofKubernetes = ofKubernetes;
    this.others = others;
  }

  /**
   * Makes sure that the programs are there. Takes milliseconds when they are, minutes the first
   * time, and then says on standard error what it does. May be called by several processes at once,
   * may be interrupted and repeated.
   *
   * @throws ControlPlaneException when there is no way to get a program; the message says what to
   *     install. Also when the thread is interrupted, with the interrupt flag set again.
   */
  public static ControlPlaneBinaries provide() {
    return provide(Tool.CONTROL_PLANE);
  }

  /**
   * Makes sure that some programs are there, as {@link #provide()} does for those of the control
   * plane.
   *
   * @param tools what is needed
   * @throws ControlPlaneException as {@link #provide()}
   */
  public static ControlPlaneBinaries provide(Set<Tool> tools) {
    Optional<String> given = setting("controlplane.binaries");
    if (given.isPresent()) {
      return given(Path.of(given.get()), tools);
    }
    KubernetesVersion kubernetes = KubernetesVersion.chosen();
    Platform platform = Platform.current();
    Progress progress = Progress.onStandardError();
    Path modules = modules();
    List<BinarySource> sources =
        setting("controlplane.download").map(Boolean::parseBoolean).orElse(true)
            ? List.of(
                new ReleaseDownload(kubernetes, platform, progress),
                new GoBuild(kubernetes, modules, progress))
            : List.of(new GoBuild(kubernetes, modules, progress));
    Function<KubernetesVersion, BinaryCache> caches =
        version ->
            new BinaryCache(
                cache().resolve(version + "-" + platform),
                tool -> recipe(tool, kubernetes, modules),
                sources,
                progress);
    List<Tool> ofKubernetes = tools.stream().filter(Tool::ofKubernetes).sorted().toList();
    List<Tool> others = tools.stream().filter(tool -> !tool.ofKubernetes()).sorted().toList();
    try {
      return new ControlPlaneBinaries(
          caches.apply(kubernetes).provide(ofKubernetes),
          caches.apply(KubernetesVersion.DEFAULT).provide(others));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ControlPlaneException("interrupted; what was finished is kept for next time", e);
    } catch (ControlPlaneException e) {
      throw new ControlPlaneException(
          e.getMessage()
              + "\n"
              + "Either let this machine reach dl.k8s.io, github.com and get.helm.sh, or install Go"
              + " 1.26 or newer, or point CONTROL_PLANE_BINARIES (-Dcontrolplane.binaries) to a"
              + " folder with "
              + Stream.of(Tool.values()).map(Tool::program).toList(),
          e);
    }
  }

  private static ControlPlaneBinaries given(Path directory, Set<Tool> tools) {
    for (Tool tool : tools) {
      if (!Files.isExecutable(directory.resolve(tool.program()))) {
        throw new ControlPlaneException(
            "controlplane.binaries is " + directory + ", but there is no " + tool.program());
      }
      Path manifests = BinaryCache.manifests(directory, tool);
      if (!tool.manifests().isEmpty() && !Files.isRegularFile(manifests)) {
        throw new ControlPlaneException(
            "controlplane.binaries is "
                + directory
                + (", but there is no " + manifests.getFileName() + " with the manifests of ")
                + (tool.program() + ": " + tool.manifests() + " of " + tool.manifestModule()));
      }
    }
    Path absolute = directory.toAbsolutePath();
    return new ControlPlaneBinaries(absolute, absolute);
  }

  /** The folders with the programs, as the value of a PATH: absolute, with a colon between. */
  public String path() {
    return Stream.of(ofKubernetes, others)
        .distinct()
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The file of a program; absolute, executable. */
  public Path binary(Tool tool) {
    return folder(tool).resolve(tool.program());
  }

  private Path folder(Tool tool) {
    return tool.ofKubernetes() ? ofKubernetes : others;
  }

  /**
   * The manifests that a program comes with, such as its CRDs.
   *
   * @param tool one that was asked for, and that has manifests
   * @return a file with YAML documents, some of which may be empty; absolute
   */
  public Path manifests(Tool tool) {
    return BinaryCache.manifests(folder(tool), tool);
  }

  /** What a program is made from, as a hash: its version, its flags and its Go module. */
  static String recipe(Tool tool, KubernetesVersion kubernetes, Path modules) {
    Path module = modules.resolve(tool.module());
    try (Stream<Path> listed = Files.walk(module)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      String head =
          String.join(
              "\n",
              tool.program(),
              tool.version(kubernetes),
              tool.goPackage(),
              tool.linkerFlags(kubernetes));
      digest.update(head.getBytes(UTF_8));
      digest.update(tool.buildTags().getBytes(UTF_8));
      for (String manifests : tool.manifests()) {
        digest.update(("\n" + manifests).getBytes(UTF_8));
      }
      if (GoBuild.bringsItsModule(tool, kubernetes)) {
        return HexFormat.of().formatHex(digest.digest());
      }
      for (Path file : listed.filter(Files::isRegularFile).sorted().toList()) {
        digest.update(("\n" + module.relativize(file) + "\n").getBytes(UTF_8));
        digest.update(Files.readAllBytes(file));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The folder with the Go modules. */
  static Path modules() {
    return setting("controlplane.modules")
        .map(Path::of)
        .or(() -> above(codeSource()))
        .or(() -> above(Path.of("").toAbsolutePath()))
        .orElseThrow(
            () ->
                new ControlPlaneException(
                    MODULES + " was not found: run in the checkout, or set controlplane.modules"));
  }

  private static Optional<Path> above(@Nullable Path start) {
    return Stream.iterate(start, folder -> folder != null, ControlPlaneBinaries::parent)
        .map(folder -> folder.resolve(MODULES))
        .filter(Files::isDirectory)
        .findFirst();
  }

  private static @Nullable Path parent(@Nullable Path folder) {
    return folder == null ? null : folder.getParent();
  }

  private static @Nullable Path codeSource() {
    try {
      CodeSource source = ControlPlaneBinaries.class.getProtectionDomain().getCodeSource();
      return source == null ? null : Path.of(source.getLocation().toURI());
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  private static Path cache() {
    return setting("controlplane.cache")
        .map(Path::of)
        .orElseGet(
            () ->
                Path.of(
                    System.getProperty("user.home"),
                    ".cache",
                    "pytorchtrainingjob-operator",
                    "control-plane"))
        .toAbsolutePath();
  }

  private static Optional<String> setting(String property) {
    String variable =
        property
            .replace("controlplane", "CONTROL_PLANE")
            .replace('.', '_')
            .toUpperCase(Locale.ROOT);
    return Optional.ofNullable(System.getProperty(property))
        .or(() -> Optional.ofNullable(System.getenv(variable)))
        .filter(value -> !value.isBlank());
  }
}
