package dev.tensorstack.training.gitops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.docs.CodeBlock;
import dev.tensorstack.training.docs.Page;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands of docs/operations/gitops.md that wait for a job, on jobs in several states. */
@ExtendWith(ControlPlaneExtension.class)
class KubectlWaitIT {

  private static final Path PAGE = Path.of("docs/operations/gitops.md");
  private static final Map<String, JsonNode> JOBS = JobStates.all();
  private static final Map<String, String> SPECS =
      Map.of(
          "PyTorchTrainingJob",
          """
          {"replicaSpecs": [{"type": "worker", "template": {"spec": {"containers":
            [{"name": "pytorch", "image": "i"}]}}}]}
          """,
          "PyTorchJob",
          """
          {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {"containers":
            [{"name": "pytorch", "image": "i"}]}}}}}
          """);

  private final ControlPlane controlPlane;
  private final String namespace;

  KubectlWaitIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    OperatorProcess.installCrds(client);
    namespace = controlPlane.createNamespace("wait");
  }

  /**
   * What a command ended with.
   *
   * @param exitStatus its exit status
   * @param output all that it said
   */
  private record Result(int exitStatus, String output) {}

  @ParameterizedTest
  @CsvSource({
    "PyTorchTrainingJob, succeeded,            0, condition met",
    "PyTorchTrainingJob, failed,               1, condition not met",
    "PyTorchTrainingJob, invalid,              1, condition not met",
    "PyTorchTrainingJob, running,              1, timed out",
    "PyTorchTrainingJob, new,                  1, timed out",
    "PyTorchJob,         succeeded,            0, condition met",
    "PyTorchJob,         failed,               1, condition not met",
    "PyTorchJob,         running,              1, timed out",
    "PyTorchJob,         Kubeflow's failed,    1, condition not met",
    "PyTorchJob,         Kubeflow's succeeded, 0, condition met"
  })
  void theExitStatusSaysWhetherAJobHasSucceeded(
      String kind, String state, int exitStatus, String says)
      throws IOException, InterruptedException {
    String name = create(kind, state);
    Result result =
        run(
            block(kind.equals("PyTorchJob") ? "kubectl wait pytorchjob/" : "kubectl wait pj/"),
            name);
    assertThat(result.exitStatus()).as(result.output()).isEqualTo(exitStatus);
    assertThat(result.output()).contains(says);
  }

  @Test
  void itIsSaidWhyAJobFailed() throws IOException, InterruptedException {
    Result why = run(block("kubectl get pj"), create("PyTorchTrainingJob", "failed"));
    assertThat(why).isEqualTo(new Result(0, why.output()));
    assertThat(why.output()).contains("exit code 3");
  }

  private String create(String kind, String state) {
    JsonNode job = Objects.requireNonNull(JOBS.get(kind + " " + state), state);
    var manifest = JsonNodeFactory.instance.objectNode();
    manifest.set("apiVersion", job.get("apiVersion"));
    manifest.put("kind", kind).putObject("metadata").put("generateName", "job-");
    manifest.putRawValue("spec", new RawValue(SPECS.get(kind)));
    String name =
        controlPlane
            .kubectlWithInput(
                manifest.toString(),
                "-n",
                namespace,
                "create",
                "-o",
                "jsonpath={.metadata.name}",
                "-f",
                "-")
            .orThrow();
    if (job.has("status")) {
      String unused =
          controlPlane
              .kubectl(
                  "-n",
                  namespace,
                  "patch",
                  kind,
                  name,
                  "--subresource=status",
                  "--type=merge",
                  "-p",
                  JsonNodeFactory.instance.objectNode().set("status", job.get("status")).toString())
              .orThrow();
    }
    return name;
  }

  /** The block of the page that begins so. */
  private static String block(String beginning) {
    return Page.read(PAGE).blocks().stream()
        .map(CodeBlock::text)
        .filter(text -> text.startsWith(beginning))
        .findFirst()
        .orElseThrow();
  }

  /** As a reader runs it, with a shorter wait. */
  private Result run(String commands, String job) throws IOException, InterruptedException {
    String script =
        commands
            .replace("NAME", job)
            .replace("--timeout=24h", "--timeout=2s")
            .replace("kubectl ", "\"$KUBECTL\" -n " + namespace + " ");
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "KUBECTL", controlPlane.kubectlBinary().toString(),
                "KUBECONFIG", controlPlane.kubeconfig().toString()));
    Process process = builder.start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      return new Result(process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }
}
