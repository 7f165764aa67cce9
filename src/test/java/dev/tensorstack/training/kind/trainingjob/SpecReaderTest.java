package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.CoschedulingGang;
import dev.tensorstack.training.core.gang.KubernetesGang;
import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.gang.T9kGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.RendezvousBackend;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.ResumeStart;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.model.Torchrun;
import dev.tensorstack.training.world.World;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SpecReaderTest {

  private static ReplicaType onlyType(String yaml) {
    return World.model(yaml).types().get(0);
  }

  @Test
  void aPlainJobHasTheDefaultsOfTheApi() {
    JobSpec model = World.model(World.workers(2, "Never"));

    assertThat(model.torchrun()).isNull();
    assertThat(model.elastic()).isNull();
    assertThat(model.debug()).isFalse();
    assertThat(model.pause()).isFalse();
    assertThat(model.runPolicy())
        .isEqualTo(
            new RunPolicy(
                3,
                null,
                RestartScope.JOB,
                Set.of(130, 137, 138, 143),
                CleanUpPolicy.UNFINISHED,
                null,
                null));
    assertThat(model.scheduler()).isEqualTo(new PlainScheduling());
    assertThat(model.tensorboard()).isNull();
    ReplicaType type = model.types().get(0);
    assertThat(type.name()).isEqualTo("worker");
    assertThat(type.replicas()).isEqualTo(2);
    assertThat(type.debug()).isEqualTo(DebugStart.WAITING);
    assertThat(type.resume()).isEqualTo(ResumeStart.AS_BEFORE);
  }

  @ParameterizedTest
  @CsvSource({
    "Never, NEVER",
    "OnFailure, ON_FAILURE",
    "ExitCode, EXIT_CODE",
    "Always, ALWAYS",
    "Unheard, NEVER"
  })
  void anUnknownRestartPolicyIsNever(String word, RestartPolicy policy) {
    assertThat(onlyType(World.workers(1, word)).restartPolicy()).isEqualTo(policy);
  }

  @ParameterizedTest
  @CsvSource({"All, ALL", "None, NONE", "Unfinished, UNFINISHED", "Unheard, UNFINISHED"})
  void anUnknownCleanUpPolicyIsUnfinished(String word, CleanUpPolicy policy) {
    String yaml = World.workers(1, "Never") + "runPolicy: {cleanUpPolicy: " + word + "}\n";

    assertThat(World.model(yaml).runPolicy().cleanUp()).isEqualTo(policy);
  }

  @Test
  void whatIsSwitchedOffIsNotThere() {
    JobSpec model =
        World.model(
            World.workers(1, "Never")
                + "torchrunConfig: {enabled: false}\n"
                + "elastic: {enabled: false, minReplicas: 1, maxReplicas: 2}\n");

    assertThat(model.torchrun()).isNull();
    assertThat(model.elastic()).isNull();
  }

  @Test
  void anElasticJobHasItsBoundsAndARing() {
    JobSpec model =
        World.model(
            World.workers(2, "OnFailure")
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}\n");

    assertThat(model.elastic()).isEqualTo(new Elasticity(1, 4, true, 2));
    assertThat(model.torchrun())
        .isNotNull()
        .extracting(Torchrun::backend)
        .isEqualTo(RendezvousBackend.C10D);
    assertThat(model.hasElasticRing()).isTrue();
    assertThat(model.scaledTo(3).elastic()).isEqualTo(new Elasticity(1, 4, true, 3));
  }

  @Test
  void eachTypeHasItsOwnStartOfDebugAndResume() {
    JobSpec model =
        World.model(
            World.workers(1, "Never")
                + """
                runMode:
                  debug:
                    enabled: true
                    replicaSpecs: [{type: worker, command: [sh], skipInitContainer: true}]
                  pause:
                    resumeSpecs: [{type: worker, args: [--resume]}, {type: other, args: [x]}]
                """);

    assertThat(model.debug()).isTrue();
    assertThat(model.types().get(0).debug()).isEqualTo(new DebugStart(List.of("sh"), true));
    assertThat(model.types().get(0).resume())
        .isEqualTo(new ResumeStart(null, List.of("--resume"), false));
  }

  static Stream<Arguments> schedulers() {
    return Stream.of(
        Arguments.of("{}", new PlainScheduling()),
        Arguments.of("{t9kScheduler: {}}", new T9kGang("default", 10)),
        Arguments.of("{volcano: {queue: v}}", new VolcanoGang("v", null)),
        Arguments.of("{coscheduling: {scheduleTimeoutSeconds: 9}}", new CoschedulingGang(null, 9)),
        Arguments.of("{kubernetes: {}}", new KubernetesGang()));
  }

  @ParameterizedTest
  @MethodSource("schedulers")
  void theSchedulerIsTheOneThatTheJobNames(String yaml, GangScheduler scheduler) {
    Map<String, String> labels = Map.of("kueue.x-k8s.io/queue-name", "q");

    assertThat(
            SpecReader.read(
                    World.spec(World.workers(1, "Never") + "scheduler: " + yaml + "\n"), labels)
                .scheduler())
        .isEqualTo(scheduler);
  }

  @Test
  void whatTheRulesRefuseIsReadAsFarAsItGoes() {
    for (String yaml :
        List.of(
            "{}",
            "replicaSpecs: []",
            "replicaSpecs: [{}]",
            "replicaSpecs: [{type: worker}]",
            "replicaSpecs: [{type: worker}]\nelastic: {enabled: true}",
            "replicaSpecs: [{type: worker}]\ntorchrunConfig: {enabled: true, rdzvBackend: x}",
            "runPolicy: {restartScope: x, retryableExitCodes: [1, 1, null]}")) {
      assertThat(World.model(yaml)).as(yaml).isNotNull();
    }
  }
}
