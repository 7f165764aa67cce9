package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ManagedBy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs on which somebody else works (docs/concepts.md, Jobs of somebody else). */
@OperatorTest(value = "managed-by", webhooks = true)
class ManagedByIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ControlPlane controlPlane;
  private final OperatorProcess operator;
  private final Jobs jobs;

  ManagedByIT(ControlPlane controlPlane, OperatorProcess operator, Jobs jobs) {
    this.controlPlane = controlPlane;
    this.operator = operator;
    this.jobs = jobs;
  }

  private static String job(String name, String manager) {
    return Jobs.simple(name, 2, "Never")
        .replace("name: " + name, "name: " + name + "\n  labels: {kueue.x-k8s.io/queue-name: team}")
        .replace("spec:\n  replicaSpecs", "spec:\n  managedBy: " + manager + "\n  replicaSpecs");
  }

  private KubectlResult kubectl(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "-n";
    all[arguments.length + 1] = jobs.namespace();
    return controlPlane.kubectl(all);
  }

  private KubectlResult apply(String manifest) {
    return controlPlane.kubectlWithInput(manifest, "apply", "-n", jobs.namespace(), "-f", "-");
  }

  private JsonNode get(String name) throws IOException {
    return new ObjectMapper().readTree(kubectl("get", "pj", name, "-o", "json").orThrow());
  }

  /** What came later has been worked on: so the operator has seen what came before. */
  private void awaitAnother(String name) {
    jobs.create(Jobs.simple(name, 1, "Never"));
    jobs.awaitPhase(name, "Running");
  }

  private void assertThatNothingHasCome(String name, String base) {
    assertThat(jobs.pods(name)).isEmpty();
    assertThat(jobs.events(name)).isEmpty();
    assertThat(controlPlane.client().services().inNamespace(jobs.namespace()).list().getItems())
        .extracting((Service service) -> service.getMetadata().getName())
        .doesNotContain(base);
  }

  @Test
  void aJobOfMultiKueueIsNotTouchedFromItsCreationToItsEnd() throws IOException {
    KubectlResult created = apply(job("elsewhere", "kueue.x-k8s.io/multikueue"));
    assertThat(created.stderr()).as("warnings").isEmpty();
    assertThat(created.exitCode()).isZero();
    JsonNode stored = get("elsewhere");
    String base = jobs.base("elsewhere");

    awaitAnother("here");

    assertThat(get("elsewhere")).as("not even its resourceVersion is another").isEqualTo(stored);
    assertThat(stored.has("status")).isFalse();
    assertThat(stored.at("/metadata/finalizers").isMissingNode()).isTrue();
    assertThat(stored.at("/spec/runPolicy").isMissingNode()).as("no default is stored").isTrue();
    assertThat(stored.at("/metadata/managedFields")).hasSizeLessThanOrEqualTo(1);

    kubectl("label", "pj", "elsewhere", "touched=by-its-user").orThrow();
    kubectl("patch", "pj", "elsewhere", "--type=merge", "-p", pause()).orThrow();
    JsonNode changed = get("elsewhere");
    awaitAnother("here-later");

    assertThat(get("elsewhere")).isEqualTo(changed);
    assertThatNothingHasCome("elsewhere", base);
    await("jobs of somebody else are not counted")
        .atMost(PATIENCE)
        .until(() -> counted() == jobsOfThisOperator());

    kubectl("delete", "pj", "elsewhere", "--wait=false").orThrow();
    assertThat(jobs.find("elsewhere")).as("nothing holds it").isNull();
    awaitAnother("here-after-it");
    assertThatNothingHasCome("elsewhere", base);
  }

  private static String pause() {
    return "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}";
  }

  private double counted() {
    return MetricsPage.of(operator).sum("pytorchtrainingjob_jobs", "namespace", jobs.namespace());
  }

  private long jobsOfThisOperator() {
    return controlPlane
        .client()
        .resources(PyTorchTrainingJob.class)
        .inNamespace(jobs.namespace())
        .list()
        .getItems()
        .stream()
        .filter(job -> job.getSpec().managedBy() == null)
        .count();
  }

  @Test
  void aJobThatNamesThisOperatorRuns() {
    apply(job("ours", ManagedBy.THIS_OPERATOR)).orThrow();

    jobs.awaitPhase("ours", "Running");
    assertThat(jobs.awaitPods("ours", 2)).hasSize(2);
    kubectl("delete", "pj", "ours").orThrow();
    await("it is gone").atMost(PATIENCE).until(() -> jobs.find("ours") == null);
  }

  @Test
  void whoWorksOnAJobIsNamedRightOrNotAtAllAndStays() {
    assertThat(apply(job("wrong", "multikueue")).stderr())
        .contains("spec.managedBy: \"multikueue\" is no domain with a path");

    apply(job("stays", "example.com/other")).orThrow();
    for (String manager : new String[] {"null", "\"example.com/third\""}) {
      assertThat(
              kubectl(
                      "patch",
                      "pj",
                      "stays",
                      "--type=merge",
                      "-p",
                      "{\"spec\":{\"managedBy\":" + manager + "}}")
                  .stderr())
          .contains("spec.managedBy: cannot be changed after creation; create another job");
    }
  }
}
