package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Manifests that say {@code enable}, written again over a job that says {@code enabled}, in every
 * way that kubectl has.
 */
@OperatorTest(value = "elsewhere", webhooks = true, nodes = 0)
class ReappliedManifestsIT {

  /** Adds the older spelling beside the stored one; a second look at the file changes nothing. */
  private static final String EDITOR =
      """
      #!/bin/sh
      grep -q 'enable: ' "$1" || sed -i '/^ *%1$s:/,/enabled: / { s/^\\( *\\)enabled: .*/&\\n\\1enable: %2$s/ }' "$1"
      cp "$1" "$0.seen"
      """;

  /** A way to write a manifest over a job. */
  enum Way {
    APPLY,
    SERVER_SIDE_APPLY,
    REPLACE,
    EDIT
  }

  /** A block, and whether it may be switched once the job is there. */
  enum Block {
    TORCHRUN("torchrunConfig", "spec.torchrunConfig", false),
    ELASTIC("elastic", "spec.elastic", false),
    DEBUG("debug", "spec.runMode.debug", true),
    PAUSE("pause", "spec.runMode.pause", true);

    private final String key;
    private final String path;
    private final boolean switchable;

    Block(String key, String path, boolean switchable) {
      this.key = key;
      this.path = path;
      this.switchable = switchable;
    }

    /** A manifest in which the block, and nothing else, is spelt the old way. */
    String manifest(String name, boolean on) {
      String old = "{enable: " + on + "}";
      String elastic = "{enable: " + on + ", minReplicas: 1, maxReplicas: 4}";
      String blocks =
          switch (this) {
            case TORCHRUN -> "  torchrunConfig: " + old;
            case ELASTIC -> "  torchrunConfig: {enabled: true}\n  elastic: " + elastic;
            case DEBUG, PAUSE -> "  runMode: {" + key + ": " + old + "}";
          };
      return """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: %s
      spec:
      %s
        replicaSpecs:
        - type: worker
          replicas: 2
          template:
            spec:
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py]
                resources: {requests: {cpu: 1}}
      """
          .formatted(name, blocks);
    }
  }

  private final Path folder;
  private final ControlPlane controlPlane;
  private final String namespace;
  private final Jobs jobs;

  ReappliedManifestsIT(@TempDir Path folder, ControlPlane controlPlane, KubernetesClient client) {
    this.folder = folder;
    this.controlPlane = controlPlane;
    // Where the operator does not watch: only its webhooks are of interest.
    namespace = controlPlane.createNamespace("reapplied");
    jobs = new Jobs(client, namespace);
  }

  static Stream<Arguments> everyBlockInEveryWay() {
    List<Arguments> all = new ArrayList<>();
    for (Block block : Block.values()) {
      for (Way way : Way.values()) {
        for (boolean on : new boolean[] {true, false}) {
          all.add(Arguments.of(block, way, on));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0} {1} enable: {2}")
  @MethodSource("everyBlockInEveryWay")
  void anOldManifestOverTheOppositeSwitchesItOrIsRefusedNeverSilent(
      Block block, Way way, boolean on) {
    String name = (block + "-" + way + "-" + on).toLowerCase(Locale.ROOT).replace('_', '-');
    write(way == Way.EDIT ? Way.APPLY : way, block, name, !on).orThrow();
    assertThat(stored(name, block)).isEqualTo(Map.of("enabled", !on));

    KubectlResult again = write(way, block, name, on);

    if (block.switchable) {
      assertThat(again.exitCode()).as(again.stderr()).isZero();
      assertThat(again.stderr())
          .contains(
              block.path
                  + ".enable: old spelling, stored as enabled: write \"enabled: "
                  + on
                  + "\"");
      assertThat(stored(name, block)).isEqualTo(Map.of("enabled", on));
    } else {
      assertThat(again.exitCode()).isEqualTo(1);
      assertThat(again.stderr() + seen(name))
          .contains(block.path + ".enabled", "cannot be changed", "create another job");
      assertThat(stored(name, block)).isEqualTo(Map.of("enabled", !on));
    }
  }

  /** As the pages about debug and pause did it: the manifest stays as it is. */
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"APPLY", "SERVER_SIDE_APPLY", "REPLACE"})
  void theSameManifestUndoesWhatWasPatchedInBetween(Way way) {
    String name = "patched-" + way.name().toLowerCase(Locale.ROOT).replace('_', '-');
    write(way, Block.PAUSE, name, true).orThrow();
    patch(name, false);

    KubectlResult again = write(way, Block.PAUSE, name, true);

    assertThat(again.stderr()).contains("spec.runMode.pause.enable: old spelling");
    assertThat(stored(name, Block.PAUSE)).isEqualTo(Map.of("enabled", true));
  }

  /** Fields belong to whoever sent them, before the webhooks: also one that is never stored. */
  @Test
  void serverSideApplyOverAnotherManagersOldSpellingIsAConflictThatCanBeForced() {
    write(Way.APPLY, Block.PAUSE, "owned", false).orThrow();

    String manifest = Block.PAUSE.manifest("owned", true);
    assertThat(kubectl(manifest, "apply", "--server-side", "-f", "-").stderr())
        .contains("conflict", ".spec.runMode.pause.enable");
    assertThat(stored("owned", Block.PAUSE)).isEqualTo(Map.of("enabled", false));

    kubectl(manifest, "apply", "--server-side", "--force-conflicts", "-f", "-").orThrow();
    assertThat(stored("owned", Block.PAUSE)).isEqualTo(Map.of("enabled", true));
  }

  /** Who switched the new spelling meanwhile is in nobody's way. */
  @Test
  void serverSideApplyOfTheOldSpellingNeedsNoForceAgainstWhoPatchedTheNewOne() {
    write(Way.SERVER_SIDE_APPLY, Block.PAUSE, "unowned", true).orThrow();
    patch("unowned", false);

    assertThat(write(Way.SERVER_SIDE_APPLY, Block.PAUSE, "unowned", true).exitCode()).isZero();
    assertThat(stored("unowned", Block.PAUSE)).isEqualTo(Map.of("enabled", true));
    assertThat(write(Way.SERVER_SIDE_APPLY, Block.PAUSE, "unowned", false).exitCode()).isZero();
    assertThat(stored("unowned", Block.PAUSE)).isEqualTo(Map.of("enabled", false));
  }

  @Test
  void anOldManifestThatIsAppliedAgainUnchangedSaysNothingAndChangesNothing() {
    for (Way way : List.of(Way.APPLY, Way.SERVER_SIDE_APPLY, Way.REPLACE)) {
      String name = "same-" + way.name().toLowerCase(Locale.ROOT).replace('_', '-');
      write(way, Block.DEBUG, name, true).orThrow();

      KubectlResult again = write(way, Block.DEBUG, name, true);

      assertThat(again.stderr()).isEmpty();
      assertThat(jobs.get(name).getMetadata().getGeneration()).isEqualTo(1);
    }
  }

  private KubectlResult write(Way way, Block block, String name, boolean on) {
    String manifest = block.manifest(name, on);
    return switch (way) {
      case APPLY -> kubectl(manifest, "apply", "-f", "-");
      case SERVER_SIDE_APPLY -> kubectl(manifest, "apply", "--server-side", "-f", "-");
      case REPLACE ->
          jobs.find(name) != null
              ? kubectl(manifest, "replace", "-f", "-")
              : kubectl(manifest, "create", "-f", "-");
      case EDIT -> edit(block, name, on);
    };
  }

  private KubectlResult edit(Block block, String name, boolean on) {
    Path editor = folder.resolve(name);
    try {
      Files.writeString(editor, EDITOR.formatted(block.key, on));
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
    return controlPlane.kubectlWith(
        Map.of("KUBE_EDITOR", "sh " + editor), "", "-n", namespace, "edit", "pj", name);
  }

  /** What the editor was shown at last: kubectl puts a refusal there. */
  private String seen(String name) {
    Path file = folder.resolve(name + ".seen");
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void patch(String name, boolean paused) {
    kubectl(
            "",
            "patch",
            "pj",
            name,
            "--type=merge",
            "-p",
            "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + paused + "}}}}")
        .orThrow();
    assertThat(stored(name, Block.PAUSE)).isEqualTo(Map.of("enabled", paused));
  }

  private KubectlResult kubectl(String input, String... arguments) {
    return controlPlane.kubectlWithInput(
        input,
        Stream.concat(Stream.of("-n", namespace), Stream.of(arguments)).toArray(String[]::new));
  }

  /** The two spellings in the block as it is stored. */
  private Map<String, Object> stored(String name, Block block) {
    JsonNode job =
        Serialization.unmarshal(
            kubectl("", "get", "pj", name, "-o", "json").orThrow(), JsonNode.class);
    JsonNode at = job.at("/" + block.path.replace('.', '/'));
    Map<String, Object> spellings = new HashMap<>();
    for (String spelling : List.of("enabled", "enable")) {
      if (at.has(spelling)) {
        spellings.put(spelling, Objects.requireNonNull(at.get(spelling)).asBoolean());
      }
    }
    return spellings;
  }
}
