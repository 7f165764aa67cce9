package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.master;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class ElasticNeedsWorkerRuleTest extends RuleTable {

  ElasticNeedsWorkerRuleTest() {
    super(new ElasticNeedsWorkerRule());
  }

  @Override
  List<String> possible() {
    return List.of(job("elasticPolicy: {}"), jobOf("", master()), "{}");
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            jobOf("elasticPolicy: {}", master()),
            List.of(
                "spec.pytorchReplicaSpecs[Worker]: an elastic job needs it: give the Worker, or take elasticPolicy out")),
        Arguments.of(
            "{elasticPolicy: {minReplicas: 1}}",
            List.of(
                "spec.pytorchReplicaSpecs[Worker]: an elastic job needs it: give the Worker, or take elasticPolicy out")));
  }
}
