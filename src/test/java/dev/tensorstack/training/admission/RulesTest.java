package dev.tensorstack.training.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesTest {

  private static final String TYPE =
      "{type: worker, replicas: 4, template: {spec: {containers: [{name: c, args: [t.py]}]}}}";

  private static List<String> check(String name, String spec) {
    return Rules.check(new Subject(name, World.spec(spec), null)).stream()
        .map(violation -> violation.rule() + " " + violation.field())
        .toList();
  }

  private static List<String> check(String spec) {
    return check("mnist", spec);
  }

  private static String job(String more) {
    return "{replicaSpecs: [" + TYPE + "]" + (more.isEmpty() ? "" : ", " + more) + "}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "torchrunConfig: {enabled: true}",
        "torchrunConfig: {enable: true}, elastic: {enable: true, minReplicas: 1, maxReplicas: 4}",
        "torchrunConfig: {enabled: true, procPerNode: auto}",
        "torchrunConfig: {enabled: true, procPerNode: 8}",
        "runPolicy: {backoffLimit: 0, activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 0}",
        "elastic: {enabled: false}",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: [--rdzv_endpoint=h:1]}",
        "torchrunConfig: {enabled: true, extraOptions: [--rdzv_conf=a=b, --no-python, -r, '3']}",
        "runMode: {debug: {enabled: false, replicaSpecs: [{type: worker, command: [sshd]}]}}",
        "scheduler: {coscheduling: {}}",
        "tensorboardSpec: {logDir: {pvc: [{name: logs}]}}",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://minio/secret/bucket/a/b']}",
      })
  void whatCanWorkIsNotRefused(String more) {
    assertThat(check(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}"
            + " | elastic-needs-torchrun spec.torchrunConfig.enabled",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, maxReplicas: 4}"
            + " | elastic-bounds spec.elastic.minReplicas",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 4}"
            + " | elastic-bounds spec.elastic.maxReplicas",
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 5, maxReplicas: 4}"
            + " | elastic-bounds spec.elastic.minReplicas",
        "torchrunConfig: {enabled: true, procPerNode: 0}"
            + " | torchrun-proc-per-node spec.torchrunConfig.procPerNode",
        "torchrunConfig: {enabled: true, procPerNode: tpu}"
            + " | torchrun-proc-per-node spec.torchrunConfig.procPerNode",
        "torchrunConfig: {enabled: true},"
            + " elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 5}"
            + " | elastic-expected-in-range spec.elastic.expectedReplicas",
        "torchrunConfig: {enabled: true, rdzvBackend: static},"
            + " elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}"
            + " | elastic-c10d-only spec.torchrunConfig.rdzvBackend",
        "torchrunConfig: {enabled: true, rdzvBackend: etcd-v2}"
            + " | torchrun-etcd-endpoint spec.torchrunConfig.extraOptions",
        "torchrunConfig: {enabled: true, extraOptions: [-t, '3', --rdzv-endpoint, 'h:1']}"
            + " | torchrun-etcd-endpoint spec.torchrunConfig.extraOptions[2]",
        "runMode: {debug: {enabled: true}, pause: {enable: true}} | run-mode spec.runMode",
        "runMode: {debug: {replicaSpecs: [{type: ps}]}}"
            + " | run-mode spec.runMode.debug.replicaSpecs[0].type",
        "runMode: {pause: {resumeSpecs: [{type: worker}, {type: worker}]}}"
            + " | run-mode spec.runMode.pause.resumeSpecs[1].type",
        "runMode: {pause: {resumeSpecs: [{type: worker, command: []}]}}"
            + " | run-mode spec.runMode.pause.resumeSpecs[0].command",
        "scheduler: {volcano: {}, kubernetes: {}} | scheduler spec.scheduler",
        "scheduler: {t9kScheduler: {priority: 101}}"
            + " | scheduler spec.scheduler.t9kScheduler.priority",
        "tensorboardSpec: {image: i} | tensorboard spec.tensorboardSpec.logDir",
        "tensorboardSpec: {trainingLogFilesets: ['t9k://pvc/a/b', 'pvc/a']}"
            + " | tensorboard spec.tensorboardSpec.trainingLogFilesets[1]",
        "tensorboardSpec: {logDir: {s3: {uri: ['s3://b/p']}}}"
            + " | tensorboard spec.tensorboardSpec.logDir.s3.secretRef",
        "runPolicy: {activeDeadlineSeconds: 0} | run-policy spec.runPolicy.activeDeadlineSeconds",
        "runPolicy: {backoffLimit: -1} | run-policy spec.runPolicy.backoffLimit",
        "runPolicy: {cleanUpPolicy: Some} | run-policy spec.runPolicy.cleanUpPolicy",
        "runPolicy: {retryableExitCodes: [1, 256]}"
            + " | run-policy spec.runPolicy.retryableExitCodes[1]",
      })
  void whatCannotWorkIsRefusedWithItsField(String more, String violation) {
    assertThat(check(job(more))).containsExactly(violation);
  }

  @Test
  void theFirstTypeHasAMasterAndTypesAreDifferent() {
    assertThat(check("{}")).containsExactly("replica-specs spec.replicaSpecs");
    assertThat(check("{replicaSpecs: [" + TYPE.replace("4", "0") + "]}"))
        .containsExactly("replica-specs spec.replicaSpecs[0].replicas");
    assertThat(check("{replicaSpecs: [" + TYPE + "," + TYPE + "]}"))
        .containsExactly("replica-specs spec.replicaSpecs[1].type");
    assertThat(check("{replicaSpecs: [" + TYPE.replace("worker", "Worker") + "]}"))
        .containsExactly("replica-specs spec.replicaSpecs[0].type");
    assertThat(check(job("").replace("replicas: 4", "replicas: 4, restartPolicy: Sometimes")))
        .containsExactly("replica-specs spec.replicaSpecs[0].restartPolicy");
  }

  @Test
  void torchrunNeedsSomethingToRun() {
    String nothing = job("torchrunConfig: {enabled: true}").replace(", args: [t.py]", "");
    String path = "template-containers spec.replicaSpecs[0].template.spec.containers";

    assertThat(check(nothing)).containsExactly(path + "[0].args");
    assertThat(check(nothing.replace("name: c", "name: c, command: [python, -m, a.b]"))).isEmpty();
    assertThat(check(nothing.replace("name: c", "name: c, command: [bash]")))
        .containsExactly(path + "[0].args");
    assertThat(
            check(
                nothing.replace(
                    "enabled: true}", "enabled: true}, runMode: {debug: {enable: true}}")))
        .isEmpty();
    assertThat(check(job("").replace("[{name: c, args: [t.py]}]", "[]"))).containsExactly(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--nnodes=2",
        "--nnode",
        "--nproc-per-node",
        "--nproc_per_node=2",
        "--rdzv_backend=c10d",
        "--rdzv-id",
        "--rdzv_i=x",
        "--max-restarts=1",
        "--max_r=1",
        "--node_rank=0",
        "--role=x",
        "--master_addr=h",
        "--master-port=1",
        "--standalone",
        "--stand"
      })
  void optionsThatTheOperatorSetsAreRefusedInAnySpelling(String option) {
    assertThat(check(job("torchrunConfig: {enabled: true, extraOptions: ['" + option + "']}")))
        .containsExactly("torchrun-reserved-options spec.torchrunConfig.extraOptions[0]");
  }

  @ParameterizedTest
  @CsvSource({
    "t9kScheduler: {},                        volcano,       1",
    "t9kScheduler: {},                        t9k-scheduler, 0",
    "volcano: {},                             default-scheduler, 1",
    "coscheduling: {},                        mine,          0",
    "'coscheduling: {schedulerName: other}',  mine,          1",
    "kubernetes: {},                          mine,          0",
  })
  void theTemplatesSchedulerDoesNotFightWithTheJobs(String member, String name, int violations) {
    String spec =
        job("scheduler: {" + member + "}")
            .replace("spec: {containers", "spec: {schedulerName: " + name + ", containers");

    assertThat(check(spec)).hasSize(violations);
  }

  @Test
  void fixedTypesLeaveRoomForTheSmallestSize() {
    String elastic =
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 4, maxReplicas: 9}";
    String fixed = TYPE.replace("type: worker", "type: ps, scalingWeight: 0");
    String rule = "elastic-fixed-fits spec.replicaSpecs";

    assertThat(check("{replicaSpecs: [" + TYPE + "," + fixed + "], " + elastic + "}"))
        .containsExactly(rule);
    assertThat(check("{replicaSpecs: [" + fixed + "," + TYPE + "], " + elastic + "}")).isEmpty();
    assertThat(check("{replicaSpecs: [" + fixed + "], " + elastic + "}")).containsExactly(rule);
  }

  @ParameterizedTest
  @CsvSource({
    "mnist,                                                             true",
    "a,                                                                 true",
    "1mnist,                                                            false",
    "Mnist,                                                             false",
    "mnist-,                                                            false",
    "mnist.v1,                                                          false",
    // 48 + 6 + "-worker-3" = 63.
    "a23456789b123456789c123456789d123456789e12345678,                  true",
    "a23456789b123456789c123456789d123456789e123456789,                 false",
  })
  void theNameMakesNamesThatKubernetesAccepts(String name, boolean accepted) {
    assertThat(check(name, job("")).isEmpty()).isEqualTo(accepted);
  }

  @Test
  void aNameThatIsTooLongSaysWhichAndByHowMany() {
    List<Violation> violations =
        Rules.check(new Subject("a".repeat(50), World.spec(job("")), null));

    assertThat(violations)
        .singleElement()
        .extracting(Violation::message)
        .asString()
        .contains("worker-3", "65 characters", "2 more than the 63");
  }

  @Test
  void theLargestIndexOfAnElasticJobCounts() {
    String elastic =
        job(
            "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 1000}");

    assertThat(check("a".repeat(47), job(""))).isEmpty();
    assertThat(check("a".repeat(47), elastic)).containsExactly("job-name metadata.name");
  }

  @Test
  void allMistakesAreToldAtOnce() {
    assertThat(
            check(
                "Mnist",
                job("torchrunConfig: {procPerNode: x}, runPolicy: {backoffLimit: -1}")
                    .replace("worker", "Worker")))
        .hasSize(4);
  }
}
