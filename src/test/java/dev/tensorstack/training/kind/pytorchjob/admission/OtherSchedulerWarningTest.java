package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.warned;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

class OtherSchedulerWarningTest extends WarningTable {

  OtherSchedulerWarningTest() {
    super(new OtherSchedulerWarning("volcano"));
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
            Jobs.job("").replace("{spec: {", "{spec: {schedulerName: volcano, "), List.of()),
        Arguments.of(Jobs.job("").replace("{spec: {", "{spec: {schedulerName: '', "), List.of()),
        Arguments.of(
            Jobs.job("").replace("{spec: {", "{spec: {schedulerName: default-scheduler, "),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.schedulerName: \"default-scheduler\" places these pods one by one, and not as a gang: take it out, then \"volcano\" places all pods of the job together",
                "spec.pytorchReplicaSpecs[Worker].template.spec.schedulerName: \"default-scheduler\" places these pods one by one, and not as a gang: take it out, then \"volcano\" places all pods of the job together")));
  }

  @Test
  void withoutGangSchedulingAnySchedulerMayPlaceThePods() {
    assertThat(
            warned(
                new OtherSchedulerWarning(null),
                Jobs.job("").replace("{spec: {", "{spec: {schedulerName: mine, ")))
        .isEmpty();
  }
}
