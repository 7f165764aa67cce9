package dev.tensorstack.training.kind.pytorchjob.admission;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class TemplateRestartPolicyWarningTest extends WarningTable {

  TemplateRestartPolicyWarningTest() {
    super(new TemplateRestartPolicyWarning());
  }

  @Override
  Stream<Arguments> jobs() {
    return Stream.of(
        Arguments.of("{}", List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Master: null, Worker: {}, Chief: {template: {}}}}", List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Master: {template: null}, Worker: {template: {spec: {containers: null}}}}}",
            List.of()),
        Arguments.of(Jobs.job(""), List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Worker: {restartPolicy: Never, template: {spec: {restartPolicy: Never}}}}}",
            List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Worker: {restartPolicy: ExitCode, template: {spec: {restartPolicy: Never}}}}}",
            List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Worker: {template: {spec: {restartPolicy: ''}}}}}", List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Worker: {template: {spec: {restartPolicy: Always}}}}}",
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.restartPolicy: \"Always\" is replaced with OnFailure: take it out; what counts is spec.pytorchReplicaSpecs[Worker].restartPolicy, here OnFailure")),
        Arguments.of(
            "{pytorchReplicaSpecs: {Master: {restartPolicy: ExitCode, template: {spec: {restartPolicy: OnFailure}}}}}",
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.restartPolicy: \"OnFailure\" is replaced with Never: take it out; what counts is spec.pytorchReplicaSpecs[Master].restartPolicy, here ExitCode")));
  }
}
