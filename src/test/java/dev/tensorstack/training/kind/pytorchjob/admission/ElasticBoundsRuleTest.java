package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.master;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workers;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class ElasticBoundsRuleTest extends RuleTable {

  ElasticBoundsRuleTest() {
    super(new ElasticBoundsRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("elasticPolicy: {}"),
        job("elasticPolicy: {minReplicas: 1, maxReplicas: 3}"),
        job("elasticPolicy: {minReplicas: 3, maxReplicas: 10000}"),
        job("elasticPolicy: {maxReplicas: 3}"),
        jobOf("elasticPolicy: {}", master()),
        jobOf("elasticPolicy: {}", workers(0)));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            job("elasticPolicy: {minReplicas: 0, maxReplicas: 3}"),
            List.of(
                "spec.elasticPolicy.minReplicas: must be at least 1: torchrun needs a node to go on with")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: 4, maxReplicas: 2}"),
            List.of(
                "spec.elasticPolicy.minReplicas: 4 is more than maxReplicas, 2: write the smaller number here")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: 1, maxReplicas: 10001}"),
            List.of(
                "spec.elasticPolicy.maxReplicas: must be at most 10000, because a job's state is kept in one object: write fewer, or make several jobs")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: 1, maxReplicas: 2}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: 3 is outside minReplicas to maxReplicas: write a number from 1 to 2")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: 4, maxReplicas: 8}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: 3 is outside minReplicas to maxReplicas: write a number from 4 to 8")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: 4}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: 3 is outside minReplicas to maxReplicas: write 4")),
        Arguments.of(
            job("elasticPolicy: {minReplicas: -1, maxReplicas: 2}"),
            List.of(
                "spec.elasticPolicy.minReplicas: must be at least 1: torchrun needs a node to go on with",
                "spec.pytorchReplicaSpecs[Worker].replicas: 3 is outside minReplicas to maxReplicas: write a number from -1 to 2")));
  }
}
