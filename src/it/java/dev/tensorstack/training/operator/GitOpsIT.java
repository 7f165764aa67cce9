package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.docs.CodeBlock;
import dev.tensorstack.training.docs.Page;
import dev.tensorstack.training.kind.trainingjob.admission.Manifests;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * What tools see that compare a manifest with the stored job again and again: nothing, for all
 * manifests as people publish them; and where they compare without asking the webhooks, no more
 * than docs/operations/gitops.md tells them to ignore.
 */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GitOpsIT {

  private static final Path PAGE = Path.of("docs/operations/gitops.md");
  private static final List<Path> EXAMPLES =
      List.of(Path.of("examples"), Path.of("examples/warnings"));

  /** Spellings of which no manifest above has all. */
  private static final String REWRITTEN =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: rewritten
      spec:
        torchrunConfig: {enable: true, minNodes: 2, procPerNode: 8}
        elastic: {enable: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 2}
        runMode:
          debug: {enable: false}
          pause: {enable: true}
        scheduler: {t9kScheduler: {queue: null}}
        replicaSpecs:
        - type: worker
          template:
            spec:
              restartPolicy: OnFailure
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py]
                resources: {requests: {cpu: 1000m}}
      """;

  /** What people and autoscalers change while the manifest stays as it is. */
  private static final String CHANGED =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: changed
      spec:
        torchrunConfig: {enabled: true}
        elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 2}
        runMode: {debug: {enabled: false}, pause: {enabled: false}}
        replicaSpecs:
        - type: worker
          replicas: 2
          scalingWeight: 1
          restartPolicy: Never
          template:
            spec:
              restartPolicy: Never
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py]
                resources: {requests: {cpu: 1}}
      """;

  /** The same, and the manifest says nothing of it. */
  private static final String UNSAID =
      CHANGED
          .replace("name: changed", "name: unsaid")
          .replace(", expectedReplicas: 2", "")
          .replace("  runMode: {debug: {enabled: false}, pause: {enabled: false}}\n", "");

  /** Keeps what {@code kubectl diff} would show; there is a difference. */
  private static final String KEEP =
      """
      #!/bin/sh
      rm -rf "$KEPT/live" "$KEPT/merged"
      cp -r "$1" "$KEPT/live"
      cp -r "$2" "$KEPT/merged"
      exit 1
      """;

  private final Path folder;
  private final ControlPlane controlPlane;
  private final KubernetesClient client;

  private final Map<String, String> manifestOf = new LinkedHashMap<>();

  private Map<String, String> versions = Map.of();
  private Map<String, String> versionsAgain = Map.of();
  private Map<String, String> serverSideVersions = Map.of();
  private Map<String, String> serverSideVersionsAgain = Map.of();
  private final Map<String, KubectlResult> diffs = new LinkedHashMap<>();
  private final Map<String, KubectlResult> unsaid = new LinkedHashMap<>();
  private Set<String> changedPaths = Set.of();
  private Map<String, Set<String>> pathsWithoutWebhooks = Map.of();

  GitOpsIT(@TempDir Path folder, ControlPlane controlPlane, KubernetesClient client) {
    this.folder = folder;
    this.controlPlane = controlPlane;
    this.client = client;
    OperatorProcess.installCrds(client);
  }

  /** A comparison without the webhooks is the last thing that is done, so all is done here. */
  @BeforeAll
  void applyAndCompare() {
    String all = readManifests();
    String applied = controlPlane.createNamespace("applied");
    String serverSide = controlPlane.createNamespace("serverside");
    String changed = controlPlane.createNamespace("changed");
    // Nobody works on the jobs: what differs is the manifests' doing.
    try (OperatorProcess operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(),
            Map.of("OPERATOR_WATCH_NAMESPACES", controlPlane.createNamespace("elsewhere")))) {
      assertThat(operator).isNotNull();
      String[] apply = {"apply", "-f", "-"};
      kubectl(applied, all, apply).orThrow();
      versions = versions(applied);
      kubectl(applied, all, apply).orThrow();
      versionsAgain = versions(applied);
      diffs.put("kubectl", kubectl(applied, all, "diff", "-f", "-"));

      String[] serverSideApply = {"apply", "--server-side", "--field-manager=tool", "-f", "-"};
      kubectl(serverSide, all, serverSideApply).orThrow();
      serverSideVersions = versions(serverSide);
      kubectl(serverSide, all, serverSideApply).orThrow();
      serverSideVersionsAgain = versions(serverSide);
      diffs.put(
          "the one that applied on the server", kubectl(serverSide, all, serverSideDiff("tool")));
      diffs.put("another one", kubectl(applied, all, serverSideDiff("another")));

      kubectl(changed, CHANGED, "apply", "-f", "-").orThrow();
      kubectl(changed, "", "scale", "pj/changed", "--replicas=3").orThrow();
      patch(changed, "changed", "pause");
      changedPaths = new TreeSet<>(differences(changed, CHANGED).get("changed"));
      kubectl(changed, CHANGED, "apply", "-f", "-").orThrow();
      patch(changed, "changed", "debug");
      changedPaths.addAll(differences(changed, CHANGED).get("changed"));

      kubectl(changed, UNSAID, "apply", "-f", "-").orThrow();
      kubectl(changed, "", "scale", "pj/unsaid", "--replicas=3").orThrow();
      patch(changed, "unsaid", "pause");
      unsaid.put("kubectl", kubectl(changed, UNSAID, "diff", "-f", "-"));
      unsaid.put("on the server", kubectl(changed, UNSAID, serverSideDiff("another")));
    }
    pathsWithoutWebhooks = differences(applied, all);
  }

  private void patch(String namespace, String job, String mode) {
    kubectl(
            namespace,
            "",
            "patch",
            "pj",
            job,
            "--type=merge",
            "-p",
            "{\"spec\":{\"runMode\":{\"" + mode + "\":{\"enabled\":true}}}}")
        .orThrow();
  }

  @Test
  void aSecondApplyWritesNothing() {
    assertThat(manifestOf).hasSizeGreaterThan(50);
    assertThat(versions).hasSameSizeAs(manifestOf);
    assertThat(changed(versions, versionsAgain)).isEmpty();
  }

  @Test
  void aSecondServerSideApplyWritesNothing() {
    assertThat(serverSideVersions).hasSameSizeAs(manifestOf);
    assertThat(changed(serverSideVersions, serverSideVersionsAgain)).isEmpty();
  }

  @Test
  void kubectlDiffShowsNothingWhoeverAppliedAndWhoeverAsks() {
    assertThat(diffs).hasSize(3);
    diffs.forEach(GitOpsIT::assertNothing);
  }

  @Test
  void whatTheManifestDoesNotSayIsLeftAloneWhenItIsChangedInTheCluster() {
    assertThat(unsaid).hasSize(2);
    unsaid.forEach(GitOpsIT::assertNothing);
  }

  private static void assertNothing(String who, KubectlResult diff) {
    assertThat(diff.stdout()).as(who).isEmpty();
    assertThat(diff.exitCode()).as(who + ": " + diff.stderr()).isZero();
  }

  @Test
  void whatAComparisonWithoutTheWebhooksShowsIsWhatThePageTellsArgoCdToIgnore() {
    Set<String> seen = new TreeSet<>();
    pathsWithoutWebhooks.values().forEach(seen::addAll);

    assertThat(seen)
        .as(() -> "differences by manifest: " + byManifest())
        .isEqualTo(ignoredByArgoCd("rewritten"));
  }

  @Test
  void whatIsChangedInTheClusterIsWhatThePageTellsToIgnoreForThat() {
    assertThat(changedPaths).isEqualTo(ignoredByArgoCd("changed-in-the-cluster"));
    Set<String> flux = new TreeSet<>();
    JsonNode release = document("HelmRelease", "changed-in-the-cluster");
    for (JsonNode rule : release.at("/spec/driftDetection/ignore")) {
      assertThat(rule.at("/target/group").asText()).isEqualTo("batch.tensorstack.dev");
      assertThat(rule.at("/target/kind").asText()).isEqualTo("PyTorchTrainingJob");
      rule.path("paths").forEach(path -> flux.add(path.asText().replace('/', '.')));
    }
    assertThat(changedPaths).isEqualTo(flux);
  }

  /** All manifests, under names of their own, in one list. */
  private String readManifests() {
    Map<String, String> texts = new LinkedHashMap<>();
    Set<String> refused = new TreeSet<>();
    refused.addAll(Manifests.expected("refused").keySet());
    refused.addAll(Manifests.expected("refused-by-dry-run").keySet());
    Manifests.names().stream()
        .filter(name -> !refused.contains(name))
        .forEach(name -> texts.put(name, Manifests.text(name)));
    for (Path examples : EXAMPLES) {
      try (Stream<Path> files = Files.list(examples)) {
        files
            .filter(file -> file.toString().endsWith(".yaml"))
            .sorted()
            .forEach(file -> texts.put(file.toString(), read(file)));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    texts.put("rewritten", REWRITTEN);
    // A field that the schema does not know is dropped or refused, but nothing that is applied.
    Manifests.expected("warned-by-api-server")
        .forEach(
            (name, warnings) -> {
              if (warnings.stream().anyMatch(warning -> warning.startsWith("unknown field"))) {
                texts.remove(name);
              }
            });
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("apiVersion", "v1").put("kind", "List");
    texts.forEach(
        (from, text) -> {
          ObjectNode manifest = job(text);
          String name = "m" + manifestOf.size();
          ((ObjectNode) manifest.get("metadata")).put("name", name);
          manifestOf.put(name, from);
          list.withArray("items").add(manifest);
        });
    return list.toString();
  }

  /** Some examples bring their script along, as a ConfigMap. */
  private static ObjectNode job(String text) {
    for (Object document : new Yaml().loadAll(text)) {
      JsonNode job = Serialization.jsonMapper().valueToTree(document);
      if (job.path("kind").asText().equals("PyTorchTrainingJob")) {
        return (ObjectNode) job;
      }
    }
    throw new IllegalArgumentException("no job in\n" + text);
  }

  private static String[] serverSideDiff(String manager) {
    return new String[] {
      "diff", "--server-side", "--force-conflicts", "--field-manager=" + manager, "-f", "-"
    };
  }

  private KubectlResult kubectl(String namespace, String input, String... arguments) {
    return controlPlane.kubectlWithInput(input, in(namespace, arguments));
  }

  private static String[] in(String namespace, String... arguments) {
    return Stream.concat(Stream.of("-n", namespace), Stream.of(arguments)).toArray(String[]::new);
  }

  private Map<String, String> versions(String namespace) {
    Map<String, String> versions = new TreeMap<>();
    client
        .genericKubernetesResources("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob")
        .inNamespace(namespace)
        .list()
        .getItems()
        .forEach(
            job ->
                versions.put(job.getMetadata().getName(), job.getMetadata().getResourceVersion()));
    return versions;
  }

  private List<String> changed(Map<String, String> before, Map<String, String> after) {
    return before.entrySet().stream()
        .filter(entry -> !entry.getValue().equals(after.get(entry.getKey())))
        .map(entry -> String.valueOf(manifestOf.get(entry.getKey())))
        .toList();
  }

  /** The paths in which {@code kubectl diff} sees a difference, by job. */
  private Map<String, Set<String>> differences(String namespace, String manifests) {
    Path script = folder.resolve("keep");
    try {
      Files.writeString(script, KEEP);
      // As one word: kubectl drops arguments that look like paths.
      assertThat(script.toFile().setExecutable(true)).isTrue();
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
    KubectlResult diff =
        controlPlane.kubectlWith(
            Map.of("KUBECTL_EXTERNAL_DIFF", script.toString(), "KEPT", folder.toString()),
            manifests,
            in(namespace, "diff", "-f", "-"));
    assertThat(diff.exitCode()).as(diff.stderr()).isEqualTo(1);
    Map<String, Set<String>> paths = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder.resolve("merged"))) {
      for (Path file : files.toList()) {
        JsonNode merged = yaml(file);
        JsonNode live = yaml(folder.resolve("live").resolve(file.getFileName()));
        Set<String> of = new TreeSet<>();
        addDifferences("", comparable(live), comparable(merged), of);
        paths.put(merged.at("/metadata/name").asText(), of);
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return paths;
  }

  /** Without what the API server counts up, and without kubectl's own note of what it applied. */
  private static JsonNode comparable(JsonNode job) {
    ObjectNode copy = job.deepCopy();
    ObjectNode metadata = (ObjectNode) copy.get("metadata");
    metadata.remove("generation");
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    return copy;
  }

  private static void addDifferences(
      String path, JsonNode live, JsonNode merged, Set<String> differences) {
    if (live.equals(merged)) {
      return;
    }
    if (live.isObject() && merged.isObject()) {
      Set<String> fields = new TreeSet<>();
      live.fieldNames().forEachRemaining(fields::add);
      merged.fieldNames().forEachRemaining(fields::add);
      fields.forEach(
          field ->
              addDifferences(
                  path + "." + field, live.path(field), merged.path(field), differences));
    } else if (live.isArray() && merged.isArray() && live.size() == merged.size()) {
      for (int i = 0; i < live.size(); i++) {
        addDifferences(path + "[]", live.get(i), merged.get(i), differences);
      }
    } else {
      differences.add(path);
    }
  }

  private List<String> byManifest() {
    List<String> lines = new ArrayList<>();
    pathsWithoutWebhooks.forEach((name, paths) -> lines.add(manifestOf.get(name) + ": " + paths));
    return lines;
  }

  private static Set<String> ignoredByArgoCd(String application) {
    Set<String> paths = new TreeSet<>();
    for (JsonNode rule : document("Application", application).at("/spec/ignoreDifferences")) {
      assertThat(rule.path("group").asText()).isEqualTo("batch.tensorstack.dev");
      assertThat(rule.path("kind").asText()).isEqualTo("PyTorchTrainingJob");
      for (JsonNode expression : rule.path("jqPathExpressions")) {
        paths.add(expression.asText().replace("[]?", "[]"));
      }
    }
    return paths;
  }

  /** A document of the page. */
  private static JsonNode document(String kind, String name) {
    List<JsonNode> found = new ArrayList<>();
    for (CodeBlock block : Page.read(PAGE).blocks()) {
      if (block.language().equals("yaml")) {
        JsonNode document = yaml(block.text());
        if (document.path("kind").asText().equals(kind)
            && document.at("/metadata/name").asText().equals(name)) {
          found.add(document);
        }
      }
    }
    assertThat(found).as(kind + " " + name + " in " + PAGE).hasSize(1);
    return found.get(0);
  }

  private static JsonNode yaml(Path file) {
    return yaml(read(file));
  }

  private static JsonNode yaml(String text) {
    return Serialization.jsonMapper().valueToTree(new Yaml().<Object>load(text));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
