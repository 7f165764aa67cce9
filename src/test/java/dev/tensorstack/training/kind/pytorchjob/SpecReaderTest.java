package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.gang.PolicyGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.kind.pytorchjob.admission.Defaulter;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecReaderTest {

  private static JobSpec read(String yaml, Map<String, String> annotations) {
    return SpecReader.read(
        Defaulter.complete(Serialization.unmarshal("---\n" + yaml, PyTorchJobSpec.class)),
        Map.of(),
        annotations,
        PyTorchJobSettings.PLAIN);
  }

  private static JobSpec read(String yaml) {
    return read(yaml, Map.of());
  }

  @Test
  void theMasterIsRankZeroInWhateverOrderTheTypesStand() {
    JobSpec spec = read("pytorchReplicaSpecs: {Worker: {replicas: 3}, Master: {}}");
    assertThat(spec.types()).extracting(ReplicaType::name).containsExactly("master", "worker");
    assertThat(spec.types()).extracting(ReplicaType::replicas).containsExactly(1, 3);
    assertThat(spec.traits().trainingContainer()).isEqualTo("pytorch");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{Master: {}, Worker: {}} | null | MASTER",
        "{Worker: {}} | null | ALL_REPLICAS",
        "{Worker: {}} | {maxReplicas: 2} | ANY_REPLICA",
        "{Master: {}, Worker: {}} | {maxReplicas: 2} | MASTER",
      })
  void whoseSuccessCountsFollowsFromTheTypes(
      String types, String elastic, SuccessCriterion success) {
    JobSpec spec = read("pytorchReplicaSpecs: " + types + "\nelasticPolicy: " + elastic);
    assertThat(spec.traits().success()).isEqualTo(success);
    assertThat(spec.elastic()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Always, ON_FAILURE",
    "OnFailure, ON_FAILURE",
    "ExitCode, EXIT_CODE_IF_ANY",
    "Never, NEVER_AGAIN",
  })
  void eachTypeHasARestartPolicyOfItsOwn(String word, RestartPolicy policy) {
    JobSpec spec = read("pytorchReplicaSpecs: {Master: {}, Worker: {restartPolicy: " + word + "}}");
    assertThat(spec.types())
        .extracting(ReplicaType::restartPolicy)
        .containsExactly(RestartPolicy.ON_FAILURE, policy);
    assertThat(spec.runPolicy().retryableExitCodes()).hasSize(128).contains(128, 255);
  }

  @Test
  void theRunPolicyIsThatOfTheJob() {
    JobSpec spec =
        read(
            """
            pytorchReplicaSpecs: {Worker: {}}
            runPolicy:
              cleanPodPolicy: Running
              ttlSecondsAfterFinished: 5
              activeDeadlineSeconds: 6
              backoffLimit: 7
              suspend: true
            """,
            Map.of("training.kubeflow.org/restart-scope", "Job"));
    assertThat(spec.pause()).isTrue();
    assertThat(spec.runPolicy().cleanUp()).isEqualTo(CleanUpPolicy.UNFINISHED);
    assertThat(spec.runPolicy().ttlSecondsAfterFinished()).isEqualTo(5);
    assertThat(spec.runPolicy().activeDeadlineSeconds()).isEqualTo(6);
    assertThat(spec.runPolicy().backoffLimit()).isEqualTo(7);
    assertThat(spec.runPolicy().restartScope()).isEqualTo(RestartScope.JOB);

    JobSpec plain = read("pytorchReplicaSpecs: {Worker: {}}");
    assertThat(plain.runPolicy().backoffLimit()).as("no limit").isEqualTo(Integer.MAX_VALUE);
    assertThat(plain.runPolicy().cleanUp()).isEqualTo(CleanUpPolicy.NONE);
    assertThat(plain.runPolicy().restartScope()).isEqualTo(RestartScope.REPLICA);
    assertThat(plain.pause()).isFalse();
  }

  private static GangScheduler scheduler(
      @Nullable String name, String policy, Map<String, String> annotations) {
    return SpecReader.read(
            Defaulter.complete(
                Serialization.unmarshal(
                    "---\npytorchReplicaSpecs: {Worker: {}}\nrunPolicy: {schedulingPolicy: "
                        + policy
                        + "}",
                    PyTorchJobSpec.class)),
            Map.of(),
            annotations,
            new PyTorchJobSettings(name, null))
        .scheduler();
  }

  private static PolicyGang gang(String name, String policy) {
    return (PolicyGang) scheduler(name, policy, Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{}", "{queue: q, minAvailable: 2}"})
  void withoutAGangSchedulerPodsArePlacedOneByOne(String policy) {
    GangScheduler plain = scheduler(null, policy, Map.of());

    assertThat(plain).isEqualTo(new PlainScheduling());
    assertThat(plain.queue()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "null | default",
        "{} | default",
        "{queue: null} | default",
        "{queue: ''} | default",
        "{queue: team-a} | team-a",
      })
  void theQueueOfVolcanoIsTheDefaultOneUnlessTheJobNamesAnother(String policy, String queue) {
    assertThat(gang("volcano", policy).gang()).isEqualTo(new VolcanoGang(queue, null));
  }

  @Test
  void theSchedulingPolicyIsThatOfTheJob() {
    String policy =
        "{minAvailable: 2, queue: q, priorityClass: p, minResources: {cpu: 3},"
            + " scheduleTimeoutSeconds: 60}";
    PolicyGang volcano = gang("volcano", policy);

    assertThat(volcano.gang()).isEqualTo(new VolcanoGang("q", "p"));
    assertThat(volcano.minAvailable()).isEqualTo(2);
    assertThat(volcano.minResources()).isEqualTo(Map.of("cpu", new Quantity("3")));
    assertThat(gang("volcano", "null").minAvailable()).as("all").isNull();
    assertThat(gang("volcano", "null").minResources()).as("the sum").isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"scheduler-plugins-scheduler", "default-scheduler", "my-scheduler"})
  void anyOtherNameIsThatOfSchedulerPlugins(String name) {
    assertThat(gang(name, "{scheduleTimeoutSeconds: 60, queue: q}").gang())
        .isEqualTo(new CoschedulingGang(name, 60));
  }

  @Test
  void theGroupGetsTheAnnotationsOfTheJobButNotWhatKubectlRemembers() {
    assertThat(
            scheduler(
                    "volcano",
                    "null",
                    Map.of(
                        "volcano.sh/preemptable",
                        "true",
                        "kubectl.kubernetes.io/last-applied-configuration",
                        "{}"))
                .groupAnnotations())
        .isEqualTo(Map.of("volcano.sh/preemptable", "true"));
  }
}
