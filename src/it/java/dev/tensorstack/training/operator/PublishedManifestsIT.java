package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.kind.trainingjob.admission.LostFields;
import dev.tensorstack.training.kind.trainingjob.admission.Manifests;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Manifests as people publish them, shown by kubectl to a real API server that asks the webhooks,
 * and compared with {@code manifests/expected/admission.yaml}.
 */
@OperatorTest(value = "published", webhooks = true, nodes = 0)
class PublishedManifestsIT {

  private static final String WARNING = "Warning: ";
  private static final String CAUSE = "* ";

  private final ControlPlane controlPlane;
  private final String namespace;

  PublishedManifestsIT(ControlPlane controlPlane, Jobs jobs) {
    this.controlPlane = controlPlane;
    this.namespace = jobs.namespace();
  }

  static Stream<String> names() {
    return Manifests.names().stream();
  }

  @ParameterizedTest
  @MethodSource("names")
  void kubectlSaysWhatTheTableSaysAndNothingThatWasWrittenIsLost(String name) {
    String manifest = Manifests.text(name);
    KubectlResult result =
        controlPlane.kubectlWithInput(
            manifest,
            "-n",
            namespace,
            "apply",
            "--dry-run=server",
            "--validate=warn",
            "-o",
            "json",
            "-f",
            "-");

    List<String> refused = new ArrayList<>(said("refused", name));
    refused.addAll(said("refused-by-dry-run", name));
    List<String> warned = new ArrayList<>(said("warned", name));
    warned.addAll(said("warned-by-api-server", name));
    assertThat(causes(result.stderr())).containsExactlyInAnyOrderElementsOf(refused);
    assertThat(warnings(result.stderr())).containsExactlyInAnyOrderElementsOf(warned);
    assertThat(result.exitCode()).as(result.stderr()).isEqualTo(refused.isEmpty() ? 0 : 1);
    if (refused.isEmpty()) {
      assertThat(LostFields.between(spec(manifest), spec(result.stdout()))).isEmpty();
    }
  }

  private static List<String> said(String table, String name) {
    return Manifests.expected(table).getOrDefault(name, List.of());
  }

  private static JsonNode spec(String text) {
    return Serialization.unmarshal(text, JsonNode.class).get("spec");
  }

  private static List<String> warnings(String stderr) {
    return stderr
        .lines()
        .filter(line -> line.startsWith(WARNING))
        .map(line -> line.substring(WARNING.length()))
        .toList();
  }

  /** One mistake stands behind the name of the job, several in a list. */
  private static List<String> causes(String stderr) {
    return stderr
        .lines()
        .filter(line -> line.startsWith(CAUSE) || line.contains("\" is invalid: spec"))
        .map(line -> line.replaceFirst("^(\\* |.*\" is invalid: )", ""))
        .toList();
  }
}
