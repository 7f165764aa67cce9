package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.refused;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

class RunPolicyRuleTest extends RuleTable {

  RunPolicyRuleTest() {
    super(new RunPolicyRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        job("runPolicy: {}"),
        job(
            "runPolicy: {cleanPodPolicy: None, ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 1, backoffLimit: 0, suspend: true}"),
        job("runPolicy: {cleanPodPolicy: Running, managedBy: kubeflow.org/training-operator}"),
        job("runPolicy: {cleanPodPolicy: All, managedBy: kueue.x-k8s.io/multikueue}"),
        job("runPolicy: {cleanPodPolicy: '', activeDeadlineSeconds: 9223372036854775807}"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            job("runPolicy: {activeDeadlineSeconds: 0}"),
            List.of(
                "spec.runPolicy.activeDeadlineSeconds: must be at least 1 second; leave it out for no deadline")),
        Arguments.of(
            job("runPolicy: {activeDeadlineSeconds: -5}"),
            List.of(
                "spec.runPolicy.activeDeadlineSeconds: must be at least 1 second; leave it out for no deadline")),
        Arguments.of(
            job("runPolicy: {ttlSecondsAfterFinished: -1}"),
            List.of(
                "spec.runPolicy.ttlSecondsAfterFinished: must not be negative: write 0 or more")),
        Arguments.of(
            job("runPolicy: {backoffLimit: -1}"),
            List.of("spec.runPolicy.backoffLimit: must not be negative: write 0 or more")),
        Arguments.of(
            job("runPolicy: {cleanPodPolicy: Unfinished}"),
            List.of(
                "spec.runPolicy.cleanPodPolicy: \"Unfinished\" is unknown: use one of [None, Running, All]")),
        Arguments.of(
            job("runPolicy: {managedBy: me}"),
            List.of(
                "spec.runPolicy.managedBy: \"me\" is unknown: use one of [kubeflow.org/training-operator, kueue.x-k8s.io/multikueue], or leave it out")));
  }

  @Test
  void allMistakesAreReported() {
    assertThat(
            refused(
                rule,
                job(
                    "runPolicy: {activeDeadlineSeconds: 0, backoffLimit: -1, managedBy: '',"
                        + " ttlSecondsAfterFinished: -1, cleanPodPolicy: x}")))
        .hasSize(5);
  }
}
