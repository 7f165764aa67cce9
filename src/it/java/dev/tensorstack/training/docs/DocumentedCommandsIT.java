package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.operator.OperatorTest;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the documentation do what it says: each page's blocks of {@code sh} are run in
 * order, by one shell, in a namespace of their own and a folder with the files that the page tells
 * to save and with the project's examples. The {@code kubectl wait} of a page say what has to come.
 *
 * <p>Nothing runs in the pods. What needs more is marked on the page with the reason, and listed in
 * {@code target/documented-commands.txt}, as are the pages whose commands are not run at all.
 */
@OperatorTest(value = "documented", operator = false)
class DocumentedCommandsIT {

  private static final Path REPORT = Path.of("target/documented-commands.txt");
  private static final Duration PAGE_LIMIT = Duration.ofMinutes(5);
  private static final Pattern PODS =
      Pattern.compile("test: pods (\\S+) exit (\\d+) after (\\d+) s");

  /** A job, and not what only names the kind, such as an Argo CD application. */
  private static final Pattern JOB =
      Pattern.compile("^kind: PyTorchTrainingJob$", Pattern.MULTILINE);

  private static final String STORAGE = "documented";

  private static final List<String> CRDS =
      List.of(
          PodGroupSchemas.manifest("scheduler.tensorstack.dev"),
          PodGroupSchemas.manifest("scheduling.volcano.sh"));

  /** What a cluster has for claims. */
  private static final String STORAGE_CLASS =
      """
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata:
        name: %s
        annotations: {storageclass.kubernetes.io/is-default-class: "true"}
      provisioner: kubernetes.io/no-provisioner
      """
          .formatted(STORAGE);

  private static final String VOLUME =
      """
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: %1$s-%2$d}
      spec:
        storageClassName: %1$s
        capacity: {storage: 100Gi}
        accessModes: [ReadWriteOnce, ReadWriteMany]
        hostPath: {path: /nowhere}
      """;

  private static final int VOLUMES = 6;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;
  private final List<String> namespaces = new ArrayList<>();

  DocumentedCommandsIT(ControlPlane controlPlane, KubernetesClient client, FakeKubelet kubelet)
      throws IOException {
    this.controlPlane = controlPlane;
    this.client = client;
    this.kubelet = kubelet;
    apply(String.join("\n---\n", CRDS) + "\n---\n" + storage());
    operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(),
            Map.of(
                "OPERATOR_WATCH_NAMESPACES",
                "JOSDK_ALL_NAMESPACES",
                "OPERATOR_RESTART_DELAY_BASE",
                "1s"));
    Files.createDirectories(REPORT.getParent());
    Files.writeString(REPORT, "");
  }

  private static String storage() {
    StringBuilder manifest = new StringBuilder(STORAGE_CLASS);
    for (int i = 0; i < VOLUMES; i++) {
      manifest.append(VOLUME.formatted(STORAGE, i));
    }
    return manifest.toString();
  }

  private void apply(String manifest) {
    String unused = controlPlane.kubectlWithInput(manifest, "apply", "-f", "-").orThrow();
  }

  @AfterAll
  void stop() {
    operator.close();
    namespaces.forEach(name -> client.namespaces().withName(name).delete());
    String manifests = String.join("\n---\n", CRDS) + "\n---\n" + storage();
    KubectlResult unused =
        controlPlane.kubectlWithInput(manifests, "delete", "--wait=false", "-f", "-");
  }

  static Stream<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("docs/tasks"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    pages.add(Path.of("docs/getting-started.md"));
    pages.add(Path.of("docs/migration/kubeflow-pytorchjob.md"));
    return pages.stream();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCommandsOfAPageDoWhatItSays(Path file, @TempDir Path folder)
      throws IOException, InterruptedException {
    Page page = Page.read(file);
    String namespace = controlPlane.createNamespace("page");
    namespaces.add(namespace);
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
            file,
            ended ? shell.exitValue() : "none within " + PAGE_LIMIT,
            Files.readString(output),
            controlPlane.kubectl("get", "pj,pods,events", "-n", namespace).stdout())
        .isTrue();
  }

  /** One script of all blocks; files that the page tells to save are written where it does. */
  private static String script(Page page, Path folder) throws IOException {
    StringBuilder script = new StringBuilder("set -euo pipefail\n");
    List<String> report = new ArrayList<>();
    int run = 0;
    for (CodeBlock block : page.blocks()) {
      if (block.file() != null) {
        Files.writeString(folder.resolve(block.file()), block.text());
      }
      if (!block.language().equals("sh")) {
        continue;
      }
      if (block.skipped() != null) {
        report.add(page.at(block.line()) + ": not run, " + block.skipped());
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
    report.add(0, page.file() + ": " + run + " blocks run");
    Files.writeString(REPORT, String.join("\n", report) + "\n", StandardOpenOption.APPEND);
    return script.toString();
  }

  private Process shell(String script, String namespace, Path folder, Path output)
      throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.copy(controlPlane.kubeconfig(), kubeconfig);
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", script);
    builder.directory(folder.toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
    Map<String, String> environment = builder.environment();
    environment.put("PATH", controlPlane.binaryDirectory() + ":" + environment.get("PATH"));
    environment.put("KUBECONFIG", kubeconfig.toString());
    environment.put("KUBECACHEDIR", folder.resolve("cache").toString());
    int exitCode;
    try {
      exitCode =
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
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
    assertThat(exitCode).as("kubectl config set-context").isZero();
    return builder.start();
  }

  /** The webhooks try the pods as well, so this is more than the rules of admission. */
  @Test
  void theApiServerTakesEveryJobOfTheDocumentation() {
    String namespace = controlPlane.createNamespace("page");
    namespaces.add(namespace);
    List<String> refused = new ArrayList<>();
    for (Page page : Page.all()) {
      for (CodeBlock block : page.blocks()) {
        if (block.language().equals("yaml")
            && !block.isInvalid()
            && JOB.matcher(block.text()).find()) {
          KubectlResult result =
              controlPlane.kubectlWithInput(
                  block.text(), "create", "--dry-run=server", "-n", namespace, "-f", "-");
          if (result.exitCode() != 0) {
            refused.add(page.at(block.line()) + ": " + result.stderr());
          }
        }
      }
    }
    assertThat(refused).isEmpty();
  }

  /** What is not run is at least known. */
  @Test
  void thePagesWhoseCommandsAreNotRunAreListed() throws IOException {
    List<Path> run = pages().toList();
    List<String> report = new ArrayList<>();
    for (Page page : Page.all()) {
      long blocks = page.blocks().stream().filter(block -> block.language().equals("sh")).count();
      if (!run.contains(page.file()) && blocks > 0) {
        report.add(page.file() + ": none of its " + blocks + " blocks is run");
      }
    }
    Files.writeString(REPORT, String.join("\n", report) + "\n", StandardOpenOption.APPEND);
    assertThat(run).allSatisfy(page -> assertThat(page).exists());
  }
}
