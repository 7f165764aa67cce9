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

class TorchrunReservedOptionsRuleTest {

  private final RuleTester rule = new RuleTester(new TorchrunReservedOptionsRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}",
        "torchrunConfig: {enabled: true, extraOptions: [--rdzv_conf=a=b]}",
        "torchrunConfig: {enabled: true, extraOptions: [--rdzv-conf, a=b]}",
        "torchrunConfig: {enabled: true, extraOptions: [--rdzv_c=a=b]}",
        "torchrunConfig: {enabled: true, extraOptions: [--no-python]}",
        "torchrunConfig: {enabled: true, extraOptions: [-r, '3']}",
        "torchrunConfig: {enabled: true, extraOptions: [-r3]}",
        "torchrunConfig: {enabled: true, extraOptions: [-t3]}",
        "torchrunConfig: {enabled: true, extraOptions: [-m]}",
        "torchrunConfig: {enabled: true, extraOptions: [-mr3]}",
        "torchrunConfig: {enabled: true, extraOptions: [--monitor-interval=5]}",
        "torchrunConfig: {enabled: true, extraOptions: [--local-addr=$(POD_IP)]}",
        "torchrunConfig: {enabled: true, extraOptions: [--log-dir=/logs]}",
        "torchrunConfig: {enabled: true, extraOptions: [--redirects=3]}",
        "torchrunConfig: {enabled: true, extraOptions: [--start-method=fork]}",
        "torchrunConfig: {enabled: true, extraOptions: [--virtual-local-rank]}",
        "torchrunConfig: {enabled: true, extraOptions: [null]}",
        "torchrunConfig: {enabled: true, extraOptions: [--log-dir, /logs, -r, '3', --tee, '3']}",
        "torchrunConfig: {enabled: true, extraOptions: [--of-a-later-torchrun, value]}",
        "torchrunConfig: {enabled: true, extraOptions: [--rdzv]}",
        "torchrunConfig: {enabled: true, extraOptions: [--n]}",
        "torchrunConfig: {enabled: true, extraOptions: [-nnodes]}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true, extraOptions: [\"--nnodes=2\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nnode\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nn\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nproc-per-node\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nproc_per_node=2\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nproc\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--rdzv_backend=c10d\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--rdzv-b\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--rdzv-id\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--rdzv_id=\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--rdzv_i=x\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--max-restarts=1\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--max_r=1\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--max\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--node_rank=0\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--nod\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--role=x\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--ro\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--master_addr=h\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--master-port=1\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--master_p\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--standalone\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out",
        "torchrunConfig: {enabled: true, extraOptions: [\"--stand\"]} | spec.torchrunConfig.extraOptions[0] | is set by the operator: take it out"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  /** All that follows would be arguments of it: one message is enough. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "train.py, --nnodes=2 | 0 | train.py",
        "-- , x | 0 | --",
        "'' | 0 | ``",
        "--tee=3, train.py | 1 | train.py",
        "--log-dir, /logs, train.py | 2 | train.py",
        "--no_python, bash | 1 | bash",
        "-m, package | 1 | package",
        "-r3, train.py | 1 | train.py",
      })
  void whatTorchrunWouldTakeForTheScriptIsRefused(String words, int index, String word) {
    List<Violation> violations =
        rule.creation(job("torchrunConfig: {enabled: true, extraOptions: [" + words + "]}"));

    assertThat(fields(violations))
        .containsExactly("spec.torchrunConfig.extraOptions[" + index + "]");
    assertThat(violations.get(0).message())
        .contains("'" + word + "'", "for the script: take it out", "args");
  }

  @Test
  void eachOptionIsReportedWithWhatToUseInstead() {
    assertThat(
            rule.creation(
                job(
                    "torchrunConfig: {enabled: true,"
                        + " extraOptions: [--tee=3, --nnodes, '4', --nproc_per_node=8]}")))
        .extracting(Violation::describe)
        .containsExactly(
            "spec.torchrunConfig.extraOptions[1]: --nnodes is set by the operator: take it out;"
                + " use replicaSpecs[].replicas, or elastic",
            "spec.torchrunConfig.extraOptions[3]: --nproc-per-node is set by the operator: take it"
                + " out; use torchrunConfig.procPerNode");
  }
}
