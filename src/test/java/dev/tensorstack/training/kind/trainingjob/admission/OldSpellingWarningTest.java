package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.World;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OldSpellingWarningTest {

  private final WarningTester warning = new WarningTester(new OldSpellingWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{replicaSpecs: [null], torchrunConfig: {}, runMode: {}} | ``",
        "{torchrunConfig: {enable: true}} | spec.torchrunConfig.enable: old spelling, stored as enabled: write \"enabled: true\"",
        "{torchrunConfig: {enable: false}} | write \"enabled: false\"",
        "{torchrunConfig: {enable: true, enabled: false}} | spec.torchrunConfig.enable: ignored, because enabled is given too and wins (false)",
        "{torchrunConfig: {enabled: true}} | ``",
        "{torchrunConfig: {enable: null}} | ``",
        "{torchrunConfig: {}} | ``",
        "{torchrunConfig: null} | ``",
        "{elastic: {enable: true}} | spec.elastic.enable: old spelling, stored as enabled: write \"enabled: true\"",
        "{elastic: {enable: false}} | write \"enabled: false\"",
        "{elastic: {enable: true, enabled: false}} | spec.elastic.enable: ignored, because enabled is given too and wins (false)",
        "{elastic: {enabled: true}} | ``",
        "{elastic: {enable: null}} | ``",
        "{elastic: {}} | ``",
        "{elastic: null} | ``",
        "{runMode: {debug: {enable: true}}} | spec.runMode.debug.enable: old spelling, stored as enabled: write \"enabled: true\"",
        "{runMode: {debug: {enable: false}}} | write \"enabled: false\"",
        "{runMode: {debug: {enable: true, enabled: false}}} | spec.runMode.debug.enable: ignored, because enabled is given too and wins (false)",
        "{runMode: {debug: {enabled: true}}} | ``",
        "{runMode: {debug: {enable: null}}} | ``",
        "{runMode: {debug: {}}} | ``",
        "{runMode: {debug: null}} | ``",
        "{runMode: {pause: {enable: true}}} | spec.runMode.pause.enable: old spelling, stored as enabled: write \"enabled: true\"",
        "{runMode: {pause: {enable: false}}} | write \"enabled: false\"",
        "{runMode: {pause: {enable: true, enabled: false}}} | spec.runMode.pause.enable: ignored, because enabled is given too and wins (false)",
        "{runMode: {pause: {enabled: true}}} | ``",
        "{runMode: {pause: {enable: null}}} | ``",
        "{runMode: {pause: {}}} | ``",
        "{runMode: {pause: null}} | ``",
        "{torchrunConfig: {enable: true}, elastic: {enable: true}, runMode: {debug: {enable: false}, pause: {enable: false}}} | torchrunConfig ;; elastic ;; debug ;; pause"
      })
  void isGivenWhereThereIsReason(String spec, String expected) {
    List<String> parts = expected.isEmpty() ? List.of() : List.of(expected.split(" ;; "));
    List<String> texts = warning.check(spec);

    assertThat(texts).hasSameSizeAs(parts);
    for (int i = 0; i < parts.size(); i++) {
      assertThat(texts.get(i)).contains(parts.get(i));
    }
  }

  /** The API server shows both, of which the user wrote one. */
  @ParameterizedTest
  @CsvSource({
    "true, true, true, 'old spelling, stored as enabled: write \"enabled: true\"'",
    "false, true, true, 'old spelling, stored as enabled: write \"enabled: true\"'",
    "true, false, false, 'old spelling, stored as enabled: write \"enabled: false\"'",
    "false, true, false, 'ignored, because enabled is given too and wins (false): take it out'"
  })
  void aReapplyIsToldWhatBecameOfIt(
      boolean enabled, boolean enable, boolean becomes, String expected) {
    WarningContext<PyTorchTrainingJobSpec> both =
        WarningTester.given(
            "{runMode: {pause: {enabled: %s, enable: %s}}}".formatted(enabled, enable));
    PyTorchTrainingJobSpec after =
        World.spec("{runMode: {pause: {enabled: %s}}}".formatted(becomes));

    assertThat(
            new OldSpellingWarning()
                .check(
                    new WarningContext<>(both.given(), new RuleContext<>("mnist", after, after))))
        .containsExactly("spec.runMode.pause.enable: " + expected);
  }
}
