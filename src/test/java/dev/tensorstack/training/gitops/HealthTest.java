package dev.tensorstack.training.gitops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.gitops.ArgoHealth.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Argo CD, Flux and kstatus say of a job in each state; docs/operations/gitops.md. */
class HealthTest {

  private static final Path FOLDER = Path.of("docs/operations/gitops");
  private static final Map<String, JsonNode> JOBS = JobStates.all();
  private static final Map<String, KstatusRecord> RECORDS = KstatusRecord.all();

  private final FluxHealth untilItRuns = new FluxHealth(FOLDER.resolve("flux-running.yaml"));
  private final FluxHealth untilItHasSucceeded =
      new FluxHealth(FOLDER.resolve("flux-succeeded.yaml"));

  /** With a header, so that JUnit names the columns. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      useHeadersInDisplayName = true,
      textBlock =
          """
          job,                                         Argo CD,     as a hook,   kstatus,    Flux until it runs, Flux until it has succeeded
          PyTorchTrainingJob new,                      Progressing, Progressing, Current,    Unknown,    Unknown
          PyTorchTrainingJob pending,                  Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob unschedulable,            Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob over its quota,           Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob rejected,                 Degraded,    Degraded,    Failed,     Failed,     Failed
          PyTorchTrainingJob running,                  Healthy,     Progressing, Current,    Current,    InProgress
          PyTorchTrainingJob edited,                   Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob on a silent node,         Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob restarting,               Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob pausing,                  Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob paused,                   Suspended,   Suspended,   Current,    Current,    InProgress
          PyTorchTrainingJob resuming,                 Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchTrainingJob succeeded,                Healthy,     Healthy,     Current,    Current,    Current
          PyTorchTrainingJob failed,                   Degraded,    Degraded,    Failed,     Failed,     Failed
          PyTorchTrainingJob invalid,                  Degraded,    Degraded,    Failed,     Failed,     Failed
          PyTorchJob new,                              Progressing, Progressing, Current,    Unknown,    Unknown
          PyTorchJob created,                          Progressing, Progressing, Current,    InProgress, InProgress
          PyTorchJob suspended at creation,            Suspended,   Suspended,   Current,    Current,    InProgress
          PyTorchJob running,                          Healthy,     Progressing, Current,    Current,    InProgress
          PyTorchJob edited,                           Progressing, Progressing, InProgress, InProgress, InProgress
          PyTorchJob restarting,                       Progressing, Progressing, Current,    InProgress, InProgress
          PyTorchJob suspended,                        Suspended,   Suspended,   Current,    Current,    InProgress
          PyTorchJob resumed,                          Progressing, Progressing, Current,    InProgress, InProgress
          PyTorchJob succeeded,                        Healthy,     Healthy,     Current,    Current,    Current
          PyTorchJob failed,                           Degraded,    Degraded,    Current,    Failed,     Failed
          PyTorchJob Kubeflow's suspended at creation, Suspended,   Suspended,   Current,    Current,    InProgress
          PyTorchJob Kubeflow's running,               Healthy,     Progressing, Current,    Current,    InProgress
          PyTorchJob Kubeflow's restarting,            Progressing, Progressing, Current,    InProgress, InProgress
          PyTorchJob Kubeflow's suspended after running, Suspended, Suspended,   Current,    Current,    InProgress
          PyTorchJob Kubeflow's succeeded,             Healthy,     Healthy,     Current,    Current,    Current
          PyTorchJob Kubeflow's failed,                Degraded,    Degraded,    Current,    Failed,     Failed
          """)
  void everyToolSaysOfAJobWhatItsStateMeansThere(
      String job, String argo, String hook, String kstatus, String runs, String succeeded) {
    JsonNode object = job(job);
    KstatusRecord recorded = recorded(job);

    assertThat(argo(object).status()).as("Argo CD").isEqualTo(argo);
    assertThat(argo(hook(object, "argocd.argoproj.io/hook", "Sync")).status())
        .as("Argo CD, of a hook")
        .isEqualTo(hook);
    assertThat(recorded.kstatus().status()).as("kstatus").isEqualTo(kstatus);
    assertThat(recorded.untilItRuns().status()).as("Flux").isEqualTo(runs);
    assertThat(recorded.untilItHasSucceeded().status()).as("Flux").isEqualTo(succeeded);
    assertThat(untilItRuns.of(object))
        .as("the expressions as this test reads them")
        .isEqualTo(runs);
    assertThat(untilItHasSucceeded.of(object))
        .as("the expressions as this test reads them")
        .isEqualTo(succeeded);
  }

  @Test
  void whatWasShownToKstatusIsWhatTheOperatorWritesNow() {
    assertThat(RECORDS.keySet()).containsExactlyElementsOf(JOBS.keySet());
    JOBS.forEach(
        (job, object) ->
            assertThat(recorded(job).object())
                .as("%s: make %s anew, see there", job, KstatusRecord.class.getSimpleName())
                .isEqualTo(object));
  }

  @Test
  void everyToolShowsWhyAJobIsNotAsItShouldBe() {
    String why = "exit code 3";
    assertThat(argo("PyTorchTrainingJob failed").message()).contains(why);
    assertThat(recorded("PyTorchTrainingJob failed").kstatus().message()).contains(why);
    assertThat(argo("PyTorchJob failed").message()).contains("exit code 1");
    assertThat(argo("PyTorchTrainingJob unschedulable").message())
        .contains("0/3 nodes are available");
    assertThat(recorded("PyTorchTrainingJob unschedulable").kstatus().message())
        .contains("0/3 nodes are available");
    assertThat(argo("PyTorchTrainingJob invalid").message()).contains("replicaSpecs[0].type");
    assertThat(argo("PyTorchTrainingJob new").message()).contains("not seen the job");
    assertThat(argo("PyTorchTrainingJob edited").message()).contains("not seen the last change");
  }

  /** Argo CD runs hooks of Helm as its own. */
  @ParameterizedTest
  @ValueSource(strings = {"PyTorchTrainingJob running", "PyTorchJob running"})
  void aHookOfHelmIsDoneWhenTheJobIs(String job) {
    JsonNode object = job(job);
    assertThat(argo(hook(object, "helm.sh/hook", "post-install")).status())
        .isEqualTo("Progressing");
    assertThat(argo(hook(object, "example.com/team", "vision")).status()).isEqualTo("Healthy");
  }

  /** Those that an earlier version of the operator wrote have neither Reconciling nor Stalled. */
  @ParameterizedTest
  @CsvSource({
    "pending,   Progressing, InProgress",
    "running,   Healthy,     Current",
    "paused,    Suspended,   Current",
    "succeeded, Healthy,     Current",
    "failed,    Degraded,    Failed"
  })
  void jobsOfAnEarlierVersionAreSeenByTheirPhase(String state, String argo, String flux) {
    JsonNode object = job("PyTorchTrainingJob " + state).deepCopy();
    var conditions = object.at("/status/conditions").elements();
    while (conditions.hasNext()) {
      if (conditions.next().path("type").asText().matches("Reconciling|Stalled|Succeeded")) {
        conditions.remove();
      }
    }
    assertThat(argo(object).status()).isEqualTo(argo);
    assertThat(untilItRuns.of(object)).isEqualTo(flux);
  }

  private static JsonNode job(String name) {
    return Objects.requireNonNull(JOBS.get(name), name);
  }

  private static KstatusRecord recorded(String name) {
    return Objects.requireNonNull(RECORDS.get(name), name);
  }

  private static Health argo(String job) {
    return argo(job(job));
  }

  private static Health argo(JsonNode object) {
    String kind = object.get("kind").asText();
    try {
      return new ArgoHealth(Files.readString(FOLDER.resolve(script(kind)))).of(object);
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private static String script(String kind) {
    return kind.equals("PyTorchJob") ? "health-pytorchjob.lua" : "health-pytorchtrainingjob.lua";
  }

  private static JsonNode hook(JsonNode object, String annotation, String value) {
    ObjectNode copy = object.deepCopy();
    ((ObjectNode) copy.get("metadata")).putObject("annotations").put(annotation, value);
    return copy;
  }
}
