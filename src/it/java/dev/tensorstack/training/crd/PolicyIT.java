package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Example.job;
import static dev.tensorstack.training.crd.StoredJobs.completed;
import static dev.tensorstack.training.crd.StoredJobs.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.reference.AdmissionPolicyManifest;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the policy refuses by itself, without a webhook and without an operator: what the rules of
 * admission refuse, with the same words.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyIT {

  private final ControlPlane controlPlane =
      ControlPlane.builder().controllerManager(false).scheduler(false).start();
  private final KubernetesClient client = controlPlane.client();
  private final StoredJobs jobs;

  PolicyIT() {
    OperatorProcess.installCrds(client);
    client.resource(AdmissionPolicyManifest.policy()).serverSideApply();
    client.resource(AdmissionPolicyManifest.binding()).serverSideApply();
    jobs = new StoredJobs(client, controlPlane.createNamespace("policy"));
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  /** It takes the API server a moment to compile it. */
  @BeforeAll
  void awaitPolicy() {
    await("the policy holds")
        .until(() -> refusal(() -> jobs.tryToCreate(StoredJobs.job("a", spec("{replicaSpecs: []}")))) != null);
  }

  static List<CelRule> rules() {
    return CrdRules.rules().stream().filter(rule -> !CrdRules.isOfSchema(rule)).toList();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theExampleOfEachRuleIsRefusedWithTheWordsOfAdmission(CelRule rule) {
    String name = rule.exampleName();
    String words =
        rule.before() == null
            ? refusal(() -> jobs.tryToCreate(StoredJobs.job(name, spec(rule.example()))))
            : change(spec(rule.before()), spec(rule.example()));
    assertThat(words).contains(rule.violation().message());
  }

  static List<CelRule> rulesOfCreation() {
    return rules().stream()
        .filter(rule -> rule.before() == null && rule.exampleName().equals("mnist"))
        .toList();
  }

  /** What must not be created must not become of a good job either. */
  @ParameterizedTest
  @MethodSource("rulesOfCreation")
  void noGoodJobBecomesTheExampleOfARule(CelRule rule) {
    JsonNode good = spec(job(""));
    for (JsonNode stored : List.of(good, completed(good))) {
      assertThat(change(stored, spec(rule.example()))).isNotNull();
    }
  }

  private @Nullable String change(JsonNode from, JsonNode to) {
    assertThat(jobs.create(StoredJobs.job("mnist", from))).isEmpty();
    try {
      return refusal(() -> jobs.update("mnist", to));
    } finally {
      jobs.delete("mnist");
    }
  }

  private static @Nullable String refusal(Supplier<List<StoredJobs.Refusal>> request) {
    try {
      List<StoredJobs.Refusal> refusals = request.get();
      return refusals.isEmpty()
          ? null
          : refusals.stream().map(StoredJobs.Refusal::message).collect(Collectors.joining("; "));
    } catch (KubernetesClientException refused) {
      return refused.getMessage();
    }
  }
}
