package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class ReadableRuleTest extends RuleTable {

  ReadableRuleTest() {
    super(new ReadableRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        "{}",
        jobOf(
            "",
            "Worker: {replicas: 10000, template: {spec: {containers: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}}}"),
        jobOf("", "Master: null", "Worker: {template: {}}"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            jobOf(
                "",
                "Worker: {template: {spec: {containers: ["
                    + "{}, ".repeat(60)
                    + "], initContainers: ["
                    + "{}, ".repeat(5)
                    + "]}}}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers: 65 containers, those in initContainers included, are more than 64, and the status could not tell of all of them: write fewer")),
        Arguments.of(
            jobOf(
                "elasticPolicy: {minReplicas: 1, maxReplicas: 10000}",
                "Worker: {template: {spec: {containers: [" + "{}, ".repeat(11) + "]}}}"),
            List.of(
                "spec.pytorchReplicaSpecs: the pods have 110000 containers together, more than 100000, and the operator keeps the state of each in mind: write fewer replicas, or fewer containers")));
  }
}
