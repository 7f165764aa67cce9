package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.refused;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImmutableRuleTest {

  private static final String OURS = "managedBy: kubeflow.org/training-operator";
  private static final String THEIRS = "managedBy: kueue.x-k8s.io/multikueue";

  private final ImmutableRule rule = new ImmutableRule();

  private static String policy(String members) {
    return job("runPolicy: {" + members + "}");
  }

  @Test
  void aNewJobMayHaveAnyQueueAndManager() {
    assertThat(refused(rule, policy("schedulingPolicy: {queue: a}, " + THEIRS))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"suspend: true, ", "suspend: false, "})
  void theManagerCannotBeChangedEvenWhileTheJobIsSuspended(String suspend) {
    String expected =
        "spec.runPolicy.managedBy: is immutable: leave it as it was, or create another job";

    assertThat(refused(rule, policy(suspend + OURS), policy(suspend + THEIRS)))
        .containsExactly(expected);
    assertThat(refused(rule, policy(suspend), policy(suspend + THEIRS))).containsExactly(expected);
    assertThat(refused(rule, policy(suspend + THEIRS), policy(suspend))).containsExactly(expected);
    assertThat(refused(rule, job(""), policy(suspend + OURS))).containsExactly(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "schedulingPolicy: {queue: a} | schedulingPolicy: {queue: b}",
        "schedulingPolicy: {queue: a} | schedulingPolicy: {}",
        "schedulingPolicy: {queue: a} | suspend: true",
        "suspend: true | schedulingPolicy: {queue: b}, suspend: true",
      })
  void theQueueCannotBeChangedInKubeflowsWords(String before, String after) {
    assertThat(refused(rule, policy(before), policy(after)))
        .containsExactly(
            "spec.runPolicy.schedulingPolicy.queue: is immutable: leave it as it was, or create"
                + " another job");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "schedulingPolicy: {queue: a} | schedulingPolicy: {queue: a, minAvailable: 2, priorityClass: p}",
        "schedulingPolicy: {} | schedulingPolicy: {queue: ''}",
        "suspend: true | suspend: false, cleanPodPolicy: All, backoffLimit: 9",
        "backoffLimit: 1, activeDeadlineSeconds: 9 | ttlSecondsAfterFinished: 7",
      })
  void allElseOfTheRunPolicyMayChange(String before, String after) {
    assertThat(refused(rule, policy(before), policy(after))).isEmpty();
  }
}
