package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kubeflow's Python SDK, as its users install it, makes jobs of the kind {@code PyTorchJob}. One
 * program calls it, check after check; each test here is about one of the checks.
 */
@Order(4)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KubeflowSdkE2E {

  private static final Path PROGRAM = Path.of("src/tools/python/kubeflow-sdk");
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final Pattern OUTCOME =
      Pattern.compile("^(PASSED|FAILED) (\\w+)", Pattern.MULTILINE);

  private final Scene scene;

  /** What became of each check, by its name. */
  private final Map<String, String> outcomes = new HashMap<>();

  private String output = "";

  /** The SDK gives pods of functions no security context, and has no argument for one. */
  KubeflowSdkE2E(Release release) {
    scene = new Scene(release.client(), "e2e-kubeflow-sdk", "baseline");
  }

  @BeforeAll
  void check() {
    String image = Settings.pytorchImage();
    Path python = PythonVenv.python(PROGRAM.resolve("requirements.txt"));
    Timing timing = Timing.start();
    ProgramResult result =
        Program.within(
            PATIENCE,
            python.toString(),
            PROGRAM.resolve("check.py").toString(),
            "--namespace",
            scene.namespace(),
            "--image",
            image);
    timing.report("the checks of Kubeflow's SDK");
    output = result.stdout() + result.stderr();
    OUTCOME
        .matcher(result.stdout())
        .results()
        .forEach(found -> outcomes.put(found.group(2), found.group(1)));
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void createJobTakesAnObject() {
    passed("create_job");
  }

  @Test
  void createJobSaysWhatIsWrongWithAJob() {
    passed("create_job_says_what_is_wrong_with_a_job");
  }

  @Test
  void isJobCreated() {
    passed("is_job_created");
  }

  @Test
  void isJobRunning() {
    passed("is_job_running");
  }

  @Test
  void getJobConditions() {
    passed("get_job_conditions");
  }

  @Test
  void getJob() {
    passed("get_job");
  }

  @Test
  void listJobs() {
    passed("list_jobs");
  }

  @Test
  void getJobPodNamesByRoleTypeAndIndex() {
    passed("get_job_pod_names");
  }

  @Test
  void getJobLogs() {
    passed("get_job_logs");
  }

  @Test
  void getJobLogsWithEvents() {
    passed("get_job_logs_with_events");
  }

  @Test
  void updateJobSuspends() {
    passed("update_job_suspends");
  }

  @Test
  void updateJobResumes() {
    passed("update_job_resumes");
  }

  @Test
  void deleteJobTakesPodsAndServicesAlong() {
    passed("delete_job");
  }

  @Test
  void createJobTakesAFunctionPackedAsSource() {
    passed("create_job_with_a_function_packed_as_source");
  }

  @Test
  void getJobLogsThatFollow() {
    passed("get_job_logs_that_follow");
  }

  @Test
  void waitForJobConditions() {
    passed("wait_for_job_conditions");
  }

  @Test
  void isJobSucceeded() {
    passed("is_job_succeeded");
  }

  @Test
  void isJobRestarting() {
    passed("is_job_restarting");
  }

  @Test
  void isJobFailed() {
    passed("is_job_failed");
  }

  @Test
  void waitForJobConditionsEndsWhenTheJobFails() {
    passed("wait_for_job_conditions_ends_when_the_job_fails");
  }

  @Test
  void noOtherCheckFails() {
    assertThat(outcomes).as(output).isNotEmpty().doesNotContainValue("FAILED");
  }

  private void passed(String check) {
    assertThat(outcomes).as(output).containsEntry(check, "PASSED");
  }
}
