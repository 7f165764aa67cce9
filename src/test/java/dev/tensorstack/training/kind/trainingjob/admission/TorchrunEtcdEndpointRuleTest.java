package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TorchrunEtcdEndpointRuleTest {

  private final RuleTester rule = new RuleTester(new TorchrunEtcdEndpointRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_endpoint=h:1]}",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd-v2, extraOptions: [--rdzv-endpoint=h:1]}",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_e, 'h:1']}",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd-v2, extraOptions: [-t, '3', --rdzv-endpoint, 'h:1']}",
        "torchrunConfig: {enabled: true, rdzvBackend: static, extraOptions: [--log-dir=/x]}",
        "torchrunConfig: {enabled: true, rdzvBackend: c10d, extraOptions: [null]}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "torchrunConfig: {enabled: true, rdzvBackend: etcd} | spec.torchrunConfig.extraOptions | add --rdzv_endpoint=HOST:PORT",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd-v2, extraOptions: [--tee=3]} | spec.torchrunConfig.extraOptions | rdzvBackend etcd-v2 needs",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_endpoint]} | spec.torchrunConfig.extraOptions | add --rdzv_endpoint=HOST:PORT",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_endpoint=]} | spec.torchrunConfig.extraOptions | add --rdzv_endpoint=HOST:PORT",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_endpoint, --tee=3]} | spec.torchrunConfig.extraOptions | add --rdzv_endpoint=HOST:PORT",
        "torchrunConfig: {enabled: true, extraOptions: [-t, '3', --rdzv-endpoint, 'h:1']} | spec.torchrunConfig.extraOptions[2] | take --rdzv_endpoint out, or use etcd",
        "torchrunConfig: {enabled: true, rdzvBackend: static, extraOptions: [--rdzv_endp=h]} | spec.torchrunConfig.extraOptions[0] | take --rdzv_endpoint out"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }
}
