package dev.tensorstack.training.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Helm, of the one version that is used, with no configuration but that of the test. */
public final class Helm {

  /** The release's name that gives the objects the names of {@code src/main/kubernetes}. */
  public static final String RELEASE = "pytorchtrainingjob-operator";

  /** The namespace of the manifests in {@code src/main/kubernetes}. */
  public static final String NAMESPACE = "pytorchtrainingjob-system";

  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Path program;
  private final Path kubeconfig;

  private Helm(Path kubeconfig) {
    this.program = ControlPlaneBinaries.provide(EnumSet.of(Tool.HELM)).binary(Tool.HELM);
    this.kubeconfig = kubeconfig;
  }

  /** One that knows no cluster. */
  public static Helm withoutCluster() {
    return new Helm(Path.of("/dev/null"));
  }

  /**
   * One that works on a cluster.
   *
   * @param kubeconfig how it gets there
   */
  public static Helm on(Path kubeconfig) {
    return new Helm(kubeconfig);
  }

  /**
   * Renders the chart as {@link #RELEASE} in {@link #NAMESPACE}.
   *
   * @param more further arguments
   * @return what Helm gave
   */
  public HelmResult template(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("template", RELEASE, ChartFiles.CHART.toString(), "--namespace", NAMESPACE));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  /**
   * Runs Helm.
   *
   * @param arguments without the word helm
   * @return what it gave, whatever the exit code is
   * @throws AssertionError when it does not end within three minutes
   */
  public HelmResult run(String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    try {
      Path home = Files.createDirectories(Path.of("target/helm")).toAbsolutePath();
      Path stdout = Files.createTempFile(home, "out", ".txt");
      Path stderr = Files.createTempFile(home, "err", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(stdout.toFile())
              .redirectError(stderr.toFile());
      builder.environment().put("KUBECONFIG", kubeconfig.toString());
      builder.environment().put("HELM_CACHE_HOME", home.resolve("cache").toString());
      builder.environment().put("HELM_CONFIG_HOME", home.resolve("config").toString());
      builder.environment().put("HELM_DATA_HOME", home.resolve("data").toString());
      Process process = builder.start();
      try {
        process.getOutputStream().close();
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError("no end within " + LIMIT + ": helm " + List.of(arguments));
        }
        return new HelmResult(
            process.exitValue(), Files.readString(stdout, UTF_8), Files.readString(stderr, UTF_8));
      } finally {
        process.destroyForcibly();
        Files.deleteIfExists(stdout);
        Files.deleteIfExists(stderr);
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in helm", interrupted);
    }
  }
}
