package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class NprocPerNodeRuleTest extends RuleTable {

  NprocPerNodeRuleTest() {
    super(new NprocPerNodeRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("nprocPerNode: auto"),
        job("nprocPerNode: cpu"),
        job("nprocPerNode: gpu"),
        job("nprocPerNode: '8'"),
        job("elasticPolicy: {nProcPerNode: 2}"),
        job("elasticPolicy: {}, nprocPerNode: '2'"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            job("nprocPerNode: two"),
            List.of("spec.nprocPerNode: \"two\" is none of: a positive number, auto, cpu, gpu")),
        Arguments.of(
            job("nprocPerNode: '0'"),
            List.of("spec.nprocPerNode: \"0\" is none of: a positive number, auto, cpu, gpu")),
        Arguments.of(
            job("nprocPerNode: '-1'"),
            List.of("spec.nprocPerNode: \"-1\" is none of: a positive number, auto, cpu, gpu")),
        Arguments.of(
            job("nprocPerNode: ''"),
            List.of("spec.nprocPerNode: \"\" is none of: a positive number, auto, cpu, gpu")),
        Arguments.of(
            job("nprocPerNode: GPU"),
            List.of("spec.nprocPerNode: \"GPU\" is none of: a positive number, auto, cpu, gpu")),
        Arguments.of(
            job("elasticPolicy: {nProcPerNode: 0}"),
            List.of(
                "spec.elasticPolicy.nProcPerNode: must be at least 1; better use spec.nprocPerNode")),
        Arguments.of(
            job("elasticPolicy: {nProcPerNode: 2}, nprocPerNode: '2'"),
            List.of(
                "spec.elasticPolicy.nProcPerNode: must not be used with spec.nprocPerNode: take it out")),
        Arguments.of(
            job("elasticPolicy: {nProcPerNode: 2}, nprocPerNode: x"),
            List.of(
                "spec.nprocPerNode: \"x\" is none of: a positive number, auto, cpu, gpu",
                "spec.elasticPolicy.nProcPerNode: must not be used with spec.nprocPerNode: take it out")));
  }
}
