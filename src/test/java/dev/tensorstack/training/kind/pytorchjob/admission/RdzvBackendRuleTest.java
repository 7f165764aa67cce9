package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class RdzvBackendRuleTest extends RuleTable {

  RdzvBackendRuleTest() {
    super(new RdzvBackendRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("elasticPolicy: {}"),
        job("elasticPolicy: {rdzvBackend: c10d}"),
        job("elasticPolicy: {rdzvBackend: etcd}"),
        job("elasticPolicy: {rdzvBackend: etcd-v2}"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            job("elasticPolicy: {rdzvBackend: static}"),
            List.of(
                "spec.elasticPolicy.rdzvBackend: \"static\" is unknown: use one of [c10d, etcd, etcd-v2]")),
        Arguments.of(
            job("elasticPolicy: {rdzvBackend: C10D}"),
            List.of(
                "spec.elasticPolicy.rdzvBackend: \"C10D\" is unknown: use one of [c10d, etcd, etcd-v2]")));
  }
}
