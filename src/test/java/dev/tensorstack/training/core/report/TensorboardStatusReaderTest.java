package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TensorboardTrouble;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorboardStatusReaderTest {

  private static final String NAME = "mnist-12e8d-tensorboard";

  private static TrainingJob job(boolean suspended) {
    return new World(
            World.workers(1, "Never")
                + "tensorboardSpec: {logDir: {pvc: [{name: logs}]}, suspend: "
                + suspended
                + "}")
        .job();
  }

  private static GenericKubernetesResource object(ObjectKind kind, String members) {
    GenericKubernetesResource object = new GenericKubernetesResource();
    object.setApiVersion(kind.apiVersion());
    object.setKind(kind.kind());
    object.setMetadata(
        new ObjectMetaBuilder().withName(NAME).withUid("u1").withGeneration(2L).build());
    Map<?, ?> given = Serialization.unmarshal("---\n" + members, Map.class);
    given.forEach((name, value) -> object.setAdditionalProperty((String) name, value));
    return object;
  }

  /** Its Service, and its Deployment unless that is empty. */
  private static ObservedDependents dependents(String deployment) {
    List<GenericKubernetesResource> objects = new ArrayList<>();
    objects.add(object(ObjectKind.SERVICE, "{}"));
    if (!deployment.isEmpty()) {
      objects.add(object(ObjectKind.DEPLOYMENT, deployment));
    }
    return new ObservedDependents(objects, null, Set.of(), Set.of());
  }

  private static TensorboardReport report(
      boolean suspended, ObservedDependents dependents, WriteFailure... refused) {
    return Objects.requireNonNull(
        TensorboardStatusReader.of(job(suspended), dependents, RefusedWrites.of(List.of(refused))));
  }

  private static String shortly(TensorboardReport status) {
    return (status.warning() ? "Warning" : "Normal")
        + " "
        + status.reason()
        + " "
        + status.action()
        + (status.ready() ? " ready" : "");
  }

  @Test
  void aJobWithoutTensorboardSaysNothingOfIt() {
    assertThat(
            TensorboardStatusReader.of(
                new World(World.workers(1, "Never")).job(),
                ObservedDependents.NONE,
                RefusedWrites.NONE))
        .isNull();
  }

  @Test
  void theWholeStateOfOneThatServes() {
    TensorboardReport status =
        report(
            false,
            dependents(
                "{spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 1, readyReplicas: 1}}"));

    assertThat(status)
        .isEqualTo(
            new TensorboardReport(
                NAME,
                "u1",
                true,
                "Ready",
                "None",
                "It serves at http://mnist-12e8d-tensorboard.ns.svc:6006; from outside: kubectl"
                    + " port-forward -n ns service/mnist-12e8d-tensorboard 6006",
                false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          false |                                                                                                   | Normal Creating Create
          true  |                                                                                                   | Normal Creating Create
          false | `{spec: {replicas: 1}}`                                                                           | Normal Starting Wait
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, readyReplicas: 1}}`                        | Normal Ready None ready
          false | `{spec: {replicas: 1}, status: {observedGeneration: 1, readyReplicas: 1}}`                        | Normal Starting Wait
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, unavailableReplicas: 1}}`                  | Normal Starting Wait
          false | `{spec: {replicas: 0}, status: {observedGeneration: 2}}`                                          | Normal Starting Wait
          true  | `{spec: {replicas: 1}, status: {observedGeneration: 2, readyReplicas: 1}}`                        | Normal Suspending Wait
          true  | `{spec: {replicas: 0}, status: {observedGeneration: 2, replicas: 1, readyReplicas: 1}}`           | Normal Suspending Wait
          true  | `{spec: {replicas: 0}, status: {observedGeneration: 1}}`                                          | Normal Suspending Wait
          true  | `{spec: {replicas: 0}, status: {observedGeneration: 2}}`                                          | Normal Suspended None
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: 'pods is forbidden: exceeded quota: q'}]}}` | Warning QuotaExceeded Wait
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: violates PodSecurity}]}}`                   | Warning PodRefused Wait
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: timed out.}]}}` | Warning NotReady Wait
          false | `{spec: {replicas: 1}, status: {observedGeneration: 2, readyReplicas: 1, conditions: [{type: Progressing, status: "False"}]}}` | Normal Ready None ready
          """)
  void whatTheDeploymentSays(boolean suspended, String deployment, String expected) {
    TensorboardReport status = report(suspended, dependents(deployment == null ? "" : deployment));

    assertThat(shortly(status)).isEqualTo(expected);
    assertThat(status.note()).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          Unschedulable        | `0/2 nodes are available: persistentvolumeclaim "a" not found.` | Warning Unschedulable Wait   | `No node can take its pod: 0/2 nodes are available: persistentvolumeclaim "a" not found. Create the PersistentVolumeClaim a, or name another one in spec.tensorboardSpec.`
          Unschedulable        | `0/2 nodes are available: 2 Insufficient memory.`               | Warning Unschedulable Wait   | No node can take its pod: 0/2 nodes are available: 2 Insufficient memory.
          ErrImagePull         | `its container waits: ErrImagePull, no such image`              | Warning ImagePullFailed Wait | In its pod, its container waits: ErrImagePull, no such image. The image is spec.tensorboardSpec.image.
          CrashLoopBackOff     | `its container waits: CrashLoopBackOff`                         | Warning NotReady Wait        | In its pod, its container waits: CrashLoopBackOff. See kubectl describe pods -n ns -l app.kubernetes.io/instance=mnist-12e8d
          """)
  void whatItsPodSays(String reason, String message, String expected, String note) {
    ObservedDependents seen =
        dependents(
            "{spec: {replicas: 1}, status: {observedGeneration: 2, unavailableReplicas: 1}}");

    TensorboardReport status = report(false, seen.with(new TensorboardTrouble(reason, message)));

    assertThat(shortly(status)).isEqualTo(expected);
    assertThat(status.note()).isEqualTo(note);
  }

  @ParameterizedTest
  @CsvSource({
    "NAME_TAKEN, NameTaken",
    "QUOTA, QuotaExceeded",
    "INVALID, InvalidSpec",
    "FORBIDDEN, Forbidden",
    "TRANSIENT, WriteFailed"
  })
  void aRefusedWriteIsSaidWithTheWordsOfTheRefusal(WriteFailure.Kind kind, String reason) {
    for (ObjectKind object : List.of(ObjectKind.DEPLOYMENT, ObjectKind.SERVICE)) {
      WriteFailure failure =
          new WriteFailure(ObjectWrite.of(object, NAME), kind, "because of that", World.START);
      TensorboardReport status = report(false, ObservedDependents.NONE, failure);

      assertThat(shortly(status)).isEqualTo("Warning " + reason + " Retry");
      assertThat(status.note()).isEqualTo(object + " " + NAME + ": because of that");
    }
  }

  @Test
  void whatIsRefusedOfOtherObjectsIsNotItsAffair() {
    WriteFailure failure =
        new WriteFailure(
            ObjectWrite.of(ObjectKind.AUTOSCALER, "mnist-12e8d"),
            WriteFailure.Kind.QUOTA,
            "because",
            World.START);

    assertThat(shortly(report(false, ObservedDependents.NONE, failure)))
        .isEqualTo("Normal Creating Create");
  }
}
