package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateContainersRuleTest {

  private static final String CONTAINERS = "spec.replicaSpecs[0].template.spec.containers";

  private final RuleTester rule = new RuleTester(new TemplateContainersRule());

  private static String spec(String template, String more) {
    return "{replicaSpecs: [{type: worker" + template + "}]" + more + "}";
  }

  private static String containers(String containers, String more) {
    return spec(", template: {spec: {containers: [" + containers + "]}}", more);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ", template: null",
        ", template: {}",
        ", template: {spec: {}}",
        ", template: {spec: {containers: []}}",
        ", template: {spec: {containers: null}}",
        ", template: {spec: {initContainers: [{name: i}]}}",
      })
  void aTemplateNeedsAContainer(String template) {
    assertThat(fields(rule.creation(spec(template, "")))).containsExactly(CONTAINERS);
  }

  /** As for the API server, which asks for its name. */
  @Test
  void aNullIsAContainerOfWhichNothingIsGiven() {
    assertThat(rule.creation(containers("null", ""))).isEmpty();
    assertThat(fields(rule.creation(containers("null", ", torchrunConfig: {enabled: true}"))))
        .containsExactly(CONTAINERS + "[0].args");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{name: c, args: [t.py]} | -1",
        "{name: c, args: ['-m', pkg]} | -1",
        "{name: c, command: [bash, '-c'], args: [t.py]} | -1",
        "{name: c, command: [python, t.py]} | -1",
        "{name: c, command: [python3, '-u', t.py, x]} | -1",
        "{name: c, command: [python, '-m', pkg]} | -1",
        "{name: side}, {name: python, args: [t.py]} | -1",
        "{name: c} | 0",
        "{name: c, args: []} | 0",
        "{name: c, command: []} | 0",
        "{name: c, command: [python]} | 0",
        "{name: c, command: [python, '-m']} | 0",
        "{name: c, command: [python, '-c', x]} | 0",
        "{name: c, command: [bash, '-c', x]} | 0",
        "{name: c, command: [torchrun, t.py]} | 0",
        "{name: side, args: [x]}, {name: python} | 1",
        "{name: main}, {name: side, args: [x]} | 0",
      })
  void torchrunNeedsSomethingToRun(String containers, int at) {
    assertThat(rule.creation(containers(containers, ""))).isEmpty();
    assertThat(fields(rule.creation(containers(containers, ", torchrunConfig: {enabled: true}"))))
        .isEqualTo(
            at < 0 ? java.util.List.of() : java.util.List.of(CONTAINERS + "[" + at + "].args"));
    assertThat(
            rule.creation(
                containers(
                    containers,
                    ", torchrunConfig: {enabled: true}, runMode: {debug: {enabled: true}}")))
        .isEmpty();
  }

  @Test
  void switchingDebugOffNeedsSomethingToRun() {
    String debug =
        containers(
            "{name: c}", ", torchrunConfig: {enabled: true}, runMode: {debug: {enabled: true}}");

    assertThat(
            rule.change(debug, debug.replace("debug: {enabled: true}", "debug: {enabled: false}")))
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).isEqualTo(CONTAINERS + "[0].args"))
        .satisfies(violation -> assertThat(violation.message()).contains("e.g. [train.py"));
  }

  @Test
  void eachTypeIsReported() {
    assertThat(
            fields(
                rule.creation(
                    "{replicaSpecs: [{type: a}, {type: b, template: {spec: {containers: [{name: c}]}}}],"
                        + " torchrunConfig: {enabled: true}}")))
        .containsExactly(CONTAINERS, CONTAINERS.replace("[0]", "[1]") + "[0].args");
  }
}
