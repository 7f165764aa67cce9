package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplacedCommandWarningTest {

  private final WarningTester warning = new WarningTester(new ReplacedCommandWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: []}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [null]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: []}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python3, -u], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, t.py, --lr, 1]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -u, t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -m, pkg, --x]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [torchrun], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -O, -u, t.py]}]}}}], torchrunConfig: {enabled: true}} | spec.replicaSpecs[0].template.spec.containers[0].command: \"-O\" is lost, because torchrun starts Python without options",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -W, ignore, -m, pkg]}]}}}], torchrunConfig: {enabled: true}} | \"-W ignore\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -m], args: [pkg]}]}}}], torchrunConfig: {enabled: true}} | \"-m\" is lost, because torchrun is started instead: write the script",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [python, -c], args: [x]}]}}}], torchrunConfig: {enabled: true}} | \"-c\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [bash, -c], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | spec.replicaSpecs[0].template.spec.containers[0].command: \"bash -c\" is lost, because torchrun is started instead",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [torchrun, --nnodes=2], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | \"torchrun --nnodes=2\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [null, x], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | \" x\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [bash], args: [t.py]}]}}}], torchrunConfig: {enable: true}} | \"bash\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [bash], args: [t.py]}]}}}], torchrunConfig: {enabled: false}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, command: [bash], args: [t.py]}]}}}], runMode: {}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: side, command: [bash]}, {name: python, args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: side}, {name: python, command: [bash], args: [t.py]}]}}}], torchrunConfig: {enabled: true}} | containers[1].command: \"bash\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py]}]}}}], torchrunConfig: {enabled: true}, runMode: {pause: {resumeSpecs: [null, {type: w, command: [sshd]}]}}} | spec.runMode.pause.resumeSpecs[1].command: \"sshd\" is lost",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py]}]}}}], torchrunConfig: {enabled: true}, runMode: {pause: {resumeSpecs: [{type: w, command: [python, again.py]}]}}} | ``"
      })
  void isGivenWhereThereIsReason(String spec, String expected) {
    List<String> parts = expected.isEmpty() ? List.of() : List.of(expected.split(" ;; "));
    List<String> texts = warning.check(spec);

    assertThat(texts).hasSameSizeAs(parts);
    for (int i = 0; i < parts.size(); i++) {
      assertThat(texts.get(i)).contains(parts.get(i));
    }
  }

  @Test
  void aLongCommandLeavesRoomForTheAdvice() {
    String spec =
        job("torchrunConfig: {enabled: true}")
            .replace("name: c", "name: c, command: [bash, -c, '" + "x".repeat(500) + "']");

    assertThat(warning.check(spec))
        .singleElement()
        .satisfies(text -> assertThat(text).hasSizeLessThan(250).contains("…", "in args"));
  }
}
