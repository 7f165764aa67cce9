package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunModeRuleTest {

  private final RuleTester rule = new RuleTester(new RunModeRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "runMode: {}",
        "runMode: {debug: {enabled: true}}",
        "runMode: {pause: {enabled: true}}",
        "runMode: {debug: {enabled: true}, pause: {enabled: false}}",
        "runMode: {debug: {enabled: false, replicaSpecs: [{type: worker, command: [sshd]}]}}",
        "runMode: {pause: {resumeSpecs: [{type: worker, args: []}]}, debug: {replicaSpecs: [{type: worker}]}}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "runMode: {debug: {enabled: true}, pause: {enabled: true}} | spec.runMode | switch one of them off",
        "runMode: {debug: {replicaSpecs: [{type: ps}]}} | spec.runMode.debug.replicaSpecs[0].type | use one of [\"worker\"]",
        "runMode: {debug: {replicaSpecs: [{command: [a]}]}} | spec.runMode.debug.replicaSpecs[0].type | name the type of a replicaSpec",
        "runMode: {debug: {replicaSpecs: [null]}} | spec.runMode.debug.replicaSpecs[0].type | name the type of a replicaSpec",
        "runMode: {debug: {replicaSpecs: [{type: worker}, {type: worker}]}} | spec.runMode.debug.replicaSpecs[1].type | say all about a type in one entry",
        "runMode: {debug: {replicaSpecs: [{type: worker, command: []}]}} | spec.runMode.debug.replicaSpecs[0].command | leave it out",
        "runMode: {pause: {resumeSpecs: [{type: ps}]}} | spec.runMode.pause.resumeSpecs[0].type | use one of [\"worker\"]",
        "runMode: {pause: {resumeSpecs: [null]}} | spec.runMode.pause.resumeSpecs[0].type | name the type of a replicaSpec",
        "runMode: {pause: {resumeSpecs: [{type: worker}, {type: worker}]}} | spec.runMode.pause.resumeSpecs[1].type | say all about a type in one entry",
        "runMode: {pause: {resumeSpecs: [{type: worker, command: []}]}} | spec.runMode.pause.resumeSpecs[0].command | leave it out"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @Test
  void pausingADebuggedJobIsRefused() {
    assertThat(
            fields(
                rule.change(
                    job("runMode: {debug: {enabled: true}}"),
                    job("runMode: {debug: {enabled: true}, pause: {enabled: true}}"))))
        .containsExactly("spec.runMode");
    assertThat(
            rule.change(
                job("runMode: {debug: {enabled: true}}"),
                job("runMode: {debug: {enabled: false}, pause: {enabled: true}}")))
        .isEmpty();
  }
}
