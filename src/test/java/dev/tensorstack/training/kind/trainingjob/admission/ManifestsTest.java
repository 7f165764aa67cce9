package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Manifests as people publish them, compared with {@code manifests/expected/admission.yaml}, which
 * was written by hand.
 */
class ManifestsTest {

  private final Defaulter defaulter = new Defaulter(AcceleratorResources.DEFAULT);
  private final Warnings warnings = new Warnings(AcceleratorResources.DEFAULT);

  static Stream<String> names() {
    return Manifests.names().stream();
  }

  private static PyTorchTrainingJob read(String name) {
    return Serialization.unmarshal(Manifests.text(name), PyTorchTrainingJob.class);
  }

  private RuleContext<PyTorchTrainingJobSpec> subject(PyTorchTrainingJob job) {
    return new RuleContext<>(job.getMetadata().getName(), defaulter.complete(job.getSpec()), null);
  }

  @ParameterizedTest
  @MethodSource("names")
  void isAcceptedOrRefusedAsTheTableSays(String name) {
    assertThat(Rules.check(subject(read(name))))
        .extracting(Violation::describe)
        .isEqualTo(Manifests.expected("refused").getOrDefault(name, List.of()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void isWarnedOfAsTheTableSays(String name) {
    PyTorchTrainingJob job = read(name);

    assertThat(warnings.texts(new WarningContext<>(job.getSpec(), subject(job))))
        .isEqualTo(Manifests.expected("warned").getOrDefault(name, List.of()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void isCompleteAfterItsDefaults(String name) {
    PyTorchTrainingJobSpec once = defaulter.complete(read(name).getSpec());

    assertThat(defaulter.complete(once)).isEqualTo(once);
  }

  @ParameterizedTest
  @MethodSource("names")
  void mayBeAppliedAgain(String name) {
    PyTorchTrainingJob job = read(name);
    PyTorchTrainingJobSpec stored = defaulter.complete(job.getSpec());
    RuleContext<PyTorchTrainingJobSpec> again =
        new RuleContext<>(job.getMetadata().getName(), defaulter.complete(job.getSpec()), stored);

    assertThat(Rules.check(again)).isEqualTo(Rules.check(subject(job)));
  }

  @ParameterizedTest
  @MethodSource("names")
  void keepsAllThatItsAuthorWrote(String name) {
    JsonNode written = Serialization.unmarshal(Manifests.text(name), JsonNode.class).get("spec");
    JsonNode completed =
        Serialization.unmarshal(
            Serialization.asJson(defaulter.complete(read(name).getSpec())), JsonNode.class);

    assertThat(LostFields.between(written, completed)).isEmpty();
  }

  @Test
  void thereIsAManifestForEachLineOfTheTables() {
    assertThat(Manifests.names()).hasSize(50);
    assertThat(Manifests.names()).containsAll(Manifests.expected("refused").keySet());
    assertThat(Manifests.names()).containsAll(Manifests.expected("warned").keySet());
  }
}
