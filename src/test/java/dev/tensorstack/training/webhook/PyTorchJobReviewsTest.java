package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the validating webhook asks and answers of a PyTorchJob. */
class PyTorchJobReviewsTest {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private static final PyTorchJobAdmission KIND =
      new PyTorchJobAdmission(PyTorchJobSettings.PLAIN, ClusterDefaults.NONE);

  private final Map<String, JsonNode> stored = new LinkedHashMap<>();
  private final List<Pod> tried = new ArrayList<>();
  private PodAnswer answer = PodAnswer.NO_OBJECTION;

  private Decision decide(AdmissionCall call) throws Exception {
    return new ValidatingAdmission<>(
            KIND,
            JobReader.of(KIND, SERIALIZATION),
            (kind, namespace, name) -> Optional.ofNullable(stored.get(name)),
            new PodDryRun<>(
                KIND,
                (pod, path) -> {
                  tried.add(pod);
                  return CompletableFuture.completedFuture(answer);
                },
                AcceleratorResources.DEFAULT,
                new TakenPods(System::nanoTime),
                SERIALIZATION))
        .decide(call)
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
  }

  private static JsonNode job(String node, int workers, boolean suspend) {
    return Reviews.yaml(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: mnist, uid: 0e6e1f5c}
        spec:
          pytorchReplicaSpecs:
            Master:
              template: {spec: {nodeSelector: {n: %1$s}, containers: [{name: pytorch, image: i}]}}
            Worker:
              replicas: %2$d
              template: {spec: {nodeSelector: {n: %1$s}, containers: [{name: pytorch, image: i}]}}
          runPolicy: {suspend: %3$s}
        """
            .formatted(node, workers, suspend));
  }

  @Test
  void onePodOfEachTypeIsTriedAtTheCreation() throws Exception {
    assertThat(decide(Reviews.create(job("a", 100, true)))).isEqualTo(Decision.ADMITTED);

    assertThat(tried)
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly("mnist-master-0", "mnist-worker-0");
    assertThat(tried)
        .allSatisfy(pod -> assertThat(pod.getMetadata().getNamespace()).isEqualTo("ns"));
  }

  /** Kueue does all of these. */
  @ParameterizedTest
  @CsvSource({
    "true, true", // while suspended
    "true, false", // with the resume
    "false, true", // with the suspension
  })
  void templatesThatChangeWhileSuspendedAreTriedAgain(boolean before, boolean after)
      throws Exception {
    Decision decision = decide(Reviews.update(job("a", 2, before), job("b", 2, after)));

    assertThat(decision).isEqualTo(Decision.ADMITTED);
    assertThat(tried)
        .hasSize(2)
        .allSatisfy(pod -> assertThat(pod.getSpec().getNodeSelector()).containsEntry("n", "b"));
  }

  @Test
  void whatTheApiServerObjectsToInAChangedTemplateIsRefused() throws Exception {
    Violation objection =
        new Violation(PodAnswer.RULE, "spec.x", Violation.Reason.FieldValueInvalid, "no label");
    answer = new PodAnswer(List.of(objection), List.of());

    assertThat(decide(Reviews.update(job("a", 2, true), job("b", 2, false))).violations())
        .containsExactly(objection, objection);
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  void aSuspensionOrAResumeAloneTriesNothing(boolean before, boolean after) throws Exception {
    answer =
        new PodAnswer(
            List.of(
                new Violation(
                    PodAnswer.RULE, "spec.x", Violation.Reason.FieldValueForbidden, "no quota")),
            List.of());

    assertThat(decide(Reviews.update(job("a", 2, before), job("a", 2, after))))
        .isEqualTo(Decision.ADMITTED);
    assertThat(tried).isEmpty();
  }

  @Test
  void templatesThatChangeWhileTheJobRunsAreRefusedAndNotTried() throws Exception {
    Decision decision = decide(Reviews.update(job("a", 2, false), job("b", 2, false)));

    assertThat(decision.refusingRules()).containsExactly("immutable-while-running");
    assertThat(decision.violations())
        .extracting(Violation::field)
        .containsExactly(
            "spec.pytorchReplicaSpecs[Master].template",
            "spec.pytorchReplicaSpecs[Worker].template");
    assertThat(tried).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "2, true", "500, true", "0, false", "-1, false"})
  void scaleMayWishForAnyNumberOfWorkersButNone(int workers, boolean allowed) throws Exception {
    stored.put("mnist", job("a", 2, false));

    assertThat(decide(Reviews.scale("mnist", workers)).allowed()).isEqualTo(allowed);
    assertThat(tried).isEmpty();
  }

  /** The API server leaves 0 out. */
  @Test
  void scaleWithoutANumberIsNone() throws Exception {
    stored.put("mnist", job("a", 2, false));

    assertThat(decide(Reviews.scale("mnist", null)).violations())
        .extracting(Violation::field)
        .containsExactly("spec.pytorchReplicaSpecs[Worker].replicas");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{spec: 7}", "{spec: {pytorchReplicaSpecs: {Master: {replicas: many}}}}"})
  void whatNobodyCanReadIsRefusedWithItsField(String odd) throws Exception {
    assertThat(decide(Reviews.create(Reviews.yaml(odd))).violations())
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).startsWith("spec"));
    assertThat(tried).isEmpty();
  }
}
