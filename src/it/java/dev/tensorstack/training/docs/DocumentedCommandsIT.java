package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.KubernetesVersion;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.operator.OperatorTest;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the documentation do what it says: each page's blocks of {@code sh} are run in
 * order, in a namespace of their own ({@link PageCommands}).
 *
 * <p>Nothing runs in the pods. What needs more is marked on the page with the reason, and listed in
 * {@code target/documented-commands.txt}, as are the pages whose commands are not run at all. What
 * needs a scheduler is run by {@link DocumentedSchedulersIT}.
 */
@NeedsKubernetes(value = 34, because = "kubectl autoscale --cpu, which a page uses")
@OperatorTest(value = "documented", operator = false)
class DocumentedCommandsIT {

  private static final Path REPORT = Path.of("target/documented-commands.txt");

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
  private final PageCommands commands;
  private final List<String> namespaces = new ArrayList<>();

  DocumentedCommandsIT(ControlPlane controlPlane, KubernetesClient client, FakeKubelet kubelet)
      throws IOException {
    this.controlPlane = controlPlane;
    this.client = client;
    this.kubelet = kubelet;
    this.commands = new PageCommands(controlPlane, Set.of(), REPORT);
    apply(String.join("\n---\n", CRDS) + "\n---\n" + storage());
    operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(),
            Map.of(
                "OPERATOR_WATCH_NAMESPACES",
                "JOSDK_ALL_NAMESPACES",
                "OPERATOR_RESTART_DELAY_BASE",
                "1s"));
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
    assumeTrue(
        KubernetesVersion.chosen().hasPodGroups() || !asksForPodGroups(page),
        "needs Kubernetes 1.36 or newer: PodGroups of Kubernetes");
    String namespace = controlPlane.createNamespace("page");
    namespaces.add(namespace);
    commands.behave(page, namespace, kubelet);
    commands.run(page, namespace, folder);
  }

  private static boolean asksForPodGroups(Page page) {
    return page.blocks().stream()
        .anyMatch(
            block ->
                block.language().equals("yaml")
                    && block.text().contains("\n  scheduler: {kubernetes: {}}"));
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
