package dev.tensorstack.training.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.World;
import java.util.List;
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
    return Rules.check(
            new Subject("mnist", World.spec(JOB.replace(before, after)), World.spec(JOB)))
        .stream()
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
        "queue: q | queue: r | immutable spec.scheduler",
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
  void theNumberOfTypesStays() {
    String worker = JOB.substring(JOB.indexOf("- type: worker"), JOB.indexOf("torchrunConfig"));

    assertThat(change(worker, "")).contains("immutable spec.replicaSpecs");
  }

  @Test
  void anUnchangedJobIsNotRefused() {
    assertThat(change("queue: q", "queue: q")).isEmpty();
  }
}
