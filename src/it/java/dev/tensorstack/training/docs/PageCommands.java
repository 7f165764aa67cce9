package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the commands of a page of the documentation: its blocks of {@code sh} in order, by one
 * shell, in a folder with the files that the page tells to save and with the project's examples.
 * The {@code kubectl wait} of a page say what has to come.
 */
final class PageCommands {

  private static final Duration PAGE_LIMIT = Duration.ofMinutes(5);
  private static final Pattern PODS =
      Pattern.compile("test: pods (\\S+) exit (\\d+) after (\\d+) s");

  private final ControlPlane controlPlane;
  private final Set<String> has;
  private final Path report;

  /**
   * For pages on one cluster.
   *
   * @param has what the cluster has beside Kubernetes, as pages call it
   * @param report a file that gets a line for each block that is not run; emptied
   */
  PageCommands(ControlPlane controlPlane, Set<String> has, Path report) throws IOException {
    this.controlPlane = controlPlane;
    this.has = has;
    this.report = report;
    Files.createDirectories(report.getParent());
    Files.writeString(report, "");
  }

  /** Has pods end as the page says. */
  void behave(Page page, String namespace, FakeKubelet kubelet) {
    for (String mark : page.marks()) {
      Matcher pods = PODS.matcher(mark);
      if (pods.matches()) {
        kubelet.rule(
            pod ->
                pod.getMetadata().getNamespace().equals(namespace)
                    && pod.getMetadata().getName().matches(pods.group(1)),
            Behaviour.exitAfter(
                Duration.ofSeconds(Integer.parseInt(pods.group(3))),
                Integer.parseInt(pods.group(2))));
      }
    }
  }

  /**
   * Runs a page and insists that all its commands succeed.
   *
   * @param namespace an empty namespace, which the commands work in
   * @param folder an empty folder
   */
  void run(Page page, String namespace, Path folder) throws IOException, InterruptedException {
    Path examples =
        Files.createSymbolicLink(folder.resolve("examples"), Path.of("examples").toAbsolutePath());
    String script = script(page, folder);

    Path output = folder.resolve("output.log");
    Process shell = shell(script, namespace, folder, output);
    boolean ended = shell.waitFor(PAGE_LIMIT.toSeconds(), TimeUnit.SECONDS);
    shell.descendants().forEach(ProcessHandle::destroyForcibly);
    shell.destroyForcibly();
    Files.delete(examples);

    assertThat(ended && shell.exitValue() == 0)
        .as(
            "%s, with the exit code %s:\n%s\n%s",
            page.file(),
            ended ? shell.exitValue() : "none within " + PAGE_LIMIT,
            Files.readString(output),
            controlPlane.kubectl("get", "pj,pods,events", "-n", namespace).stdout())
        .isTrue();
  }

  /** One script of all blocks; files that the page tells to save are written where it does. */
  private String script(Page page, Path folder) throws IOException {
    StringBuilder script = new StringBuilder("set -euo pipefail\n");
    List<String> lines = new ArrayList<>();
    int run = 0;
    for (CodeBlock block : page.blocks()) {
      if (block.file() != null) {
        Files.writeString(folder.resolve(block.file()), block.text());
      }
      if (!block.language().equals("sh")) {
        continue;
      }
      if (block.skipped() != null) {
        lines.add(page.at(block.line()) + ": not run, " + block.skipped());
        continue;
      }
      if (block.needs() != null && !has.contains(block.needs())) {
        lines.add(page.at(block.line()) + ": not run, needs " + block.needs());
        continue;
      }
      run++;
      script
          .append("echo '== ")
          .append(page.at(block.line()))
          .append("'\n")
          .append(block.text())
          .append("\n");
    }
    lines.add(0, page.file() + ": " + run + " blocks run");
    Files.writeString(report, String.join("\n", lines) + "\n", StandardOpenOption.APPEND);
    return script.toString();
  }

  private Process shell(String script, String namespace, Path folder, Path output)
      throws IOException, InterruptedException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.copy(controlPlane.kubeconfig(), kubeconfig);
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", script);
    builder.directory(folder.toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Map<String, String> environment = builder.environment();
    environment.put("PATH", controlPlane.binaryPath() + ":" + environment.get("PATH"));
    environment.put("KUBECONFIG", kubeconfig.toString());
    environment.put("KUBECACHEDIR", folder.resolve("cache").toString());
    int exitCode =
        new ProcessBuilder(
                controlPlane.kubectlBinary().toString(),
                "--kubeconfig=" + kubeconfig,
                "config",
                "set-context",
                "--current",
                "--namespace=" + namespace)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertThat(exitCode).as("kubectl config set-context").isZero();
    return builder.start();
  }
}
