package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.world.World;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be changed of a job and what may not; compared with the stored object. */
class ImmutableRuleTest {

  private static final String JOB =
      """
      replicaSpecs:
      - type: master
        restartPolicy: OnFailure
        template: {spec: {containers: [{name: c, image: i:1, args: [t.py]}]}}
      - type: worker
        replicas: 3
        scalingWeight: 2
        restartPolicy: OnFailure
        template: {spec: {containers: [{name: c, image: i:1, args: [t.py]}]}}
      torchrunConfig: {enabled: true, maxRestarts: 1, procPerNode: 2, extraOptions: [--no-python]}
      elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 4}
      runMode: {debug: {replicaSpecs: [{type: master}]}, pause: {resumeSpecs: [{type: worker}]}}
      runPolicy: {backoffLimit: 3, retryableExitCodes: [3], restartScope: Job}
      scheduler: {t9kScheduler: {queue: q, priority: 5}}
      """;

  private static List<String> change(String before, String after) {
    assertThat(JOB).contains(before);
    return changed(JOB, JOB.replace(before, after.replace("\\n", "\n")));
  }

  private static List<String> changed(String before, String after) {
    return Rules.check(new RuleContext<>("mnist", World.spec(after), World.spec(before))).stream()
        .map(violation -> violation.rule() + " " + violation.field())
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expectedReplicas: 4 | expectedReplicas: 8",
        "scalingWeight: 2 | scalingWeight: 5",
        "backoffLimit: 3 | backoffLimit: 9, activeDeadlineSeconds: 5, cleanUpPolicy: All",
        "debug: {replica | debug: {enabled: true, replica",
        "pause: {resume | pause: {enabled: true, resume",
        "procPerNode: 2 | procPerNode: '2'",
        "torchrunConfig: {enabled | torchrunConfig: {enable",
        "spec: {containers | spec: {restartPolicy: Never, containers",
        "spec: {containers | spec: {restartPolicy: OnFailure, containers",
        "template: {spec | template: {metadata: {creationTimestamp: null}, spec",
        "template: {spec | template: {metadata: {}, spec",
        // What is absent has its default.
        "- type: master | '- replicas: 1\\n  type: master'",
        "replicas: 3 | replicas: 3",
        "[--no-python] | [--no-python], rdzvBackend: c10d, minNodes: 1",
        "[{type: master}] | '[{type: master, skipInitContainer: false, command: [sleep, inf]}]'",
        "[{type: worker}] | '[{type: worker, skipInitContainer: false}]'",
        "maxReplicas: 8, expectedReplicas: 4 | maxReplicas: 8",
        "scheduler: | tensorboardSpec: {logDir: {pvc: [{name: a}]}}\\nscheduler:",
      })
  void whatMayBeChangedIsNotRefused(String before, String after) {
    assertThat(change(before, after)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type: master | type: chief | immutable spec.replicaSpecs[0].type",
        "replicas: 3 | replicas: 4 | immutable spec.replicaSpecs[1].replicas",
        "maxRestarts: 1 | maxRestarts: 2 | immutable spec.torchrunConfig.maxRestarts",
        "procPerNode: 2 | procPerNode: 3 | immutable spec.torchrunConfig.procPerNode",
        "[--no-python] | [] | immutable spec.torchrunConfig.extraOptions",
        "minReplicas: 2 | minReplicas: 1 | elastic-bounds-immutable spec.elastic.minReplicas",
        "maxReplicas: 8 | maxReplicas: 9 | elastic-bounds-immutable spec.elastic.maxReplicas",
        "elastic: {enabled: true | elastic: {enabled: false"
            + " | elastic-bounds-immutable spec.elastic.enabled",
        "resumeSpecs: [{type: worker}] | resumeSpecs: []"
            + " | immutable spec.runMode.pause.resumeSpecs",
        "retryableExitCodes: [3] | retryableExitCodes: [4]"
            + " | immutable spec.runPolicy.retryableExitCodes",
        "restartScope: Job | restartScope: Replica | immutable spec.runPolicy.restartScope",
        "queue: q | queue: r | immutable spec.scheduler.t9kScheduler.queue",
        "priority: 5 | priority: 6 | immutable spec.scheduler.t9kScheduler.priority",
        "t9kScheduler: {queue: q, priority: 5} | volcano: {queue: q} | immutable spec.scheduler",
        "scheduler: {t9kScheduler: {queue: q, priority: 5}} | # | immutable spec.scheduler",
        "torchrunConfig: {enabled: true | torchrunConfig: {enabled: false"
            + " | immutable spec.torchrunConfig.enabled",
        "[--no-python] | [--no-python], rdzvBackend: static"
            + " | immutable spec.torchrunConfig.rdzvBackend",
        "debug: {replicaSpecs: [{type: master}]} | debug: {replicaSpecs: [{type: worker}]}"
            + " | immutable spec.runMode.debug.replicaSpecs",
        "debug: {replicaSpecs: [{type: master}]} | debug: {}"
            + " | immutable spec.runMode.debug.replicaSpecs",
        "[{type: worker}] | [{type: worker, args: [again.py]}]"
            + " | immutable spec.runMode.pause.resumeSpecs",
        "[{type: worker}] | [{type: worker, skipInitContainer: true}]"
            + " | immutable spec.runMode.pause.resumeSpecs",
      })
  void whatMayNotBeChangedIsRefusedWithItsField(String before, String after, String violation) {
    assertThat(change(before, after)).contains(violation);
  }

  @Test
  void eachTemplateIsComparedWithTheStoredOne() {
    assertThat(change("image: i:1", "image: i:2"))
        .containsExactly(
            "immutable spec.replicaSpecs[0].template", "immutable spec.replicaSpecs[1].template");
  }

  @Test
  void aQuantityThatIsNoneIsComparedAsItIsWritten() {
    String odd = JOB.replace("args: [t.py]", "resources: {limits: {cpu: many}}");

    assertThat(changed(odd, odd)).noneMatch(violation -> violation.startsWith("immutable"));
    assertThat(changed(odd, odd.replace("many", "more")))
        .contains("immutable spec.replicaSpecs[0].template");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "name: c, | name: c, env: null,",
        "name: c, | name: c, env: [], volumeMounts: null,",
        "spec: {containers | spec: {volumes: null, initContainers: [], containers",
        "name: c, | name: c, tty: null,",
      })
  void aListThatIsNullOrEmptyIsAbsent(String without, String with) {
    assertThat(change(without, with)).isEmpty();
    assertThat(changed(JOB.replace(without, with), JOB)).isEmpty();
  }

  @Test
  void theSameQuantityMayBeWrittenInAnotherWay() {
    String limits = JOB.replace("args: [t.py]", "args: [t.py], resources: {limits: {cpu: 1}}");

    assertThat(changed(limits, limits.replace("cpu: 1", "cpu: 1000m"))).isEmpty();
    assertThat(changed(limits, limits.replace("cpu: 1", "cpu: 1001m"))).hasSize(2);
  }

  @Test
  void theNumberOfTypesStays() {
    String worker = JOB.substring(JOB.indexOf("- type: worker"), JOB.indexOf("torchrunConfig"));

    assertThat(change(worker, "")).contains("immutable spec.replicaSpecs");
  }

  @Test
  void anUnchangedJobIsNotRefused() {
    assertThat(change("queue: q", "queue: q")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | torchrunConfig: {enabled: false} | ``",
        "`` | torchrunConfig: {enabled: false, maxRestarts: 0, rdzvBackend: c10d} | ``",
        "`` | torchrunConfig: {extraOptions: [], procPerNode: 1} | ``",
        "`` | torchrunConfig: {enabled: false, maxRestarts: 2} | torchrunConfig.maxRestarts",
        "`` | torchrunConfig: {enabled: false, procPerNode: 2} | torchrunConfig.procPerNode",
        "`` | torchrunConfig: {enabled: true} | torchrunConfig.enabled",
        "torchrunConfig: {enabled: true, maxRestarts: 2} | ``"
            + " | torchrunConfig.enabled torchrunConfig.maxRestarts",
        "`` | scheduler: {} | ``",
        "`` | scheduler: {kubernetes: {}} | scheduler",
        "scheduler: {t9kScheduler: {}} | scheduler: {t9kScheduler: {queue: null, priority: 10}} | ``",
        "scheduler: {volcano: {queue: a}} | scheduler: {volcano: {}} | scheduler.volcano.queue",
        "scheduler: {volcano: {}} | scheduler: {volcano: {priorityClassName: p}}"
            + " | scheduler.volcano.priorityClassName",
        "scheduler: {coscheduling: {}} | scheduler: {coscheduling: {scheduleTimeoutSeconds: 9}}"
            + " | scheduler.coscheduling.scheduleTimeoutSeconds",
        "scheduler: {coscheduling: {}} | scheduler: {coscheduling: {schedulerName: s}}"
            + " | scheduler.coscheduling.schedulerName",
        "managedBy: a.io/b | managedBy: a.io/b | ``",
        "managedBy: a.io/b | managedBy: a.io/c | managedBy",
        "managedBy: a.io/b | `` | managedBy",
        "`` | managedBy: a.io/b | managedBy",
        "`` | managedBy: batch.tensorstack.dev/pytorchtrainingjob-operator | managedBy",
        "managedBy: batch.tensorstack.dev/pytorchtrainingjob-operator | `` | managedBy",
        "`` | runPolicy: {} | ``",
        "`` | runPolicy: {restartScope: Job, retryableExitCodes: [130, 137, 138, 143]} | ``",
        "`` | runPolicy: {retryableExitCodes: []} | runPolicy.retryableExitCodes",
        "`` | runMode: {debug: {enabled: true}, pause: {resumeSpecs: []}} | ``",
        "`` | runMode: {pause: {resumeSpecs: [{type: worker}]}} | runMode.pause.resumeSpecs",
      })
  void whatIsAbsentHasItsDefault(String before, String after, String fields) {
    RuleTester rule = new RuleTester(new ImmutableRule());
    List<String> expected =
        fields.isEmpty()
            ? List.of()
            : Stream.of(fields.split(" ")).sorted().map(field -> "spec." + field).toList();

    assertThat(RuleTester.fields(rule.change(RuleTester.job(before), RuleTester.job(after))))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void typesKeepTheirOrderBecauseRanksFollowIt() {
    String master = JOB.substring(JOB.indexOf("- type: master"), JOB.indexOf("- type: worker"));
    String worker = JOB.substring(JOB.indexOf("- type: worker"), JOB.indexOf("torchrunConfig"));

    // Only that: the entries themselves are what they were.
    assertThat(change(master + worker, worker + master))
        .containsExactly(
            "immutable spec.replicaSpecs[0].type", "immutable spec.replicaSpecs[1].type");
  }

  @Test
  void aNewTypeDoesNotHideAnotherChange() {
    String worker = JOB.substring(JOB.indexOf("- type: worker"), JOB.indexOf("torchrunConfig"));
    String evaluator = worker.replace("worker", "eval");

    assertThat(change(worker, evaluator + worker.replace("replicas: 3", "replicas: 4")))
        .containsExactly("immutable spec.replicaSpecs", "immutable spec.replicaSpecs[2].replicas");
  }

  @Test
  void twoEntriesOfTheSameTypeAreNoChangeOfEachOther() {
    String twice =
        "{replicaSpecs: [{type: a, replicas: 1}, {type: a, replicas: 2}, null], runMode:"
            + " {debug: {replicaSpecs: [null]}, pause: {resumeSpecs: [null]}}}";

    assertThat(new RuleTester(new ImmutableRule()).change(twice, twice)).isEmpty();
  }
}
