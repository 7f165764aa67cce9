package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.TorchrunPods;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The status as clients of Kubeflow's operator read it. */
class StatusRenderingTest {

  private static final String SPEC =
      """
      replicaSpecs:
      - type: master
        restartPolicy: OnFailure
        template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1", command: [python, train.py]}]}}
      - type: worker
        replicas: 2
        restartPolicy: OnFailure
        template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1", command: [python, train.py]}]}}
      runPolicy: {restartScope: Replica, backoffLimit: 3}
      """;

  private static final String PAUSED = SPEC + "runMode: {pause: {enabled: true}}\n";

  private final World world = world(SPEC);
  private @Nullable PyTorchJobStatus stored;

  private static World world(String spec) {
    return new World(spec)
        .like(
            new JobTraits(
                SuccessCriterion.MASTER,
                false,
                true,
                ServiceLayout.ONE_PER_REPLICA,
                true,
                true,
                "pytorch",
                true,
                "runPolicy.suspend",
                TorchrunPods.WITH_MASTER.pods()),
            new PyTorchJobNames("mnist", "uid"));
  }

  private static TrainingJob ofThisKind(TrainingJob job) {
    return new TrainingJob(
        PyTorchJobAdmission.KIND,
        job.names(),
        new PyTorchJobLabels(job.name()),
        job.namespace(),
        job.name(),
        job.uid(),
        job.generation(),
        job.createdAt(),
        job.deleting(),
        job.spec(),
        job.ledger(),
        job.summary());
  }

  /** Steps until nothing is left to do, and stores the status of each step. */
  private PyTorchJobStatus settle(World of) {
    for (int i = 0; i < 6; i++) {
      Observation seen = of.observe();
      stored =
          StatusRendering.of(
              ofThisKind(seen.job()), JobReport.of(seen, of.plan()), stored, of.now());
      of.step();
    }
    return Objects.requireNonNull(stored);
  }

  private static ReplicaStatus workers(PyTorchJobStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(status.replicaStatuses()).get("Worker"));
  }

  private static List<String> conditions(PyTorchJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .map(one -> one.type() + " " + one.status() + " " + one.reason())
        .toList();
  }

  @Test
  void aGoodLifeEndsWithCreatedRunningAndSucceededInThisOrder() {
    assertThat(conditions(settle(world))).containsExactly("Created True PyTorchJobCreated");
    world.allRun();
    PyTorchJobStatus running = settle(world);
    assertThat(conditions(running))
        .containsExactly("Created True PyTorchJobCreated", "Running True PyTorchJobRunning");
    assertThat(workers(running).active()).isEqualTo(2);
    assertThat(workers(running).selector())
        .isEqualTo(
            "training.kubeflow.org/job-name=mnist,"
                + "training.kubeflow.org/operator-name=pytorchjob-controller,"
                + "training.kubeflow.org/replica-type=worker");

    world.exit("master", 0, 0);
    PyTorchJobStatus end = settle(world);
    assertThat(conditions(end))
        .containsExactly(
            "Created True PyTorchJobCreated",
            "Running False PyTorchJobRunning",
            "Succeeded True PyTorchJobSucceeded");
    assertThat(end.completionTime()).isNotNull();
    assertThat(end.replicaStatuses().values())
        .as("active is added to succeeded")
        .allSatisfy(type -> assertThat(type.active()).isZero());
    assertThat(workers(end).succeeded()).isEqualTo(2);
    world.pass(Duration.ofDays(1));
    PyTorchJobStatus cleanedUp = settle(world);
    assertThat(world.pods()).doesNotContainKey("mnist-worker-0");
    assertThat(cleanedUp.conditions()).isEqualTo(end.conditions());
    assertThat(cleanedUp.replicaStatuses()).isEqualTo(end.replicaStatuses());
    world.pass(Duration.ofDays(1));
    assertThat(settle(world)).isEqualTo(cleanedUp);
  }

  @Test
  void aReplicaThatComesBackTakesThePlaceOfRunning() {
    settle(world);
    world.allRun();
    settle(world);
    world.exit("worker", 1, 1);
    Observation seen = world.observe();
    PyTorchJobStatus restarting =
        StatusRendering.of(
            ofThisKind(seen.job()), JobReport.of(seen, world.plan()), stored, world.now());
    stored = restarting;
    assertThat(conditions(restarting))
        .containsExactly("Created True PyTorchJobCreated", "Restarting True PyTorchJobRestarting");
    assertThat(restarting.conditions())
        .last()
        .extracting(JobCondition::message, InstanceOfAssertFactories.STRING)
        .contains("pod mnist-worker-1 failed");

    settle(world);
    world.run("worker", 1);
    assertThat(conditions(settle(world)))
        .containsExactly("Created True PyTorchJobCreated", "Running True PyTorchJobRunning");
  }

  @Test
  void aJobThatIsSuspendedAtItsCreationHasNoStartTimeUntilItIsResumed() {
    World suspended = world(PAUSED);
    PyTorchJobStatus status = settle(suspended);
    assertThat(conditions(status))
        .containsExactly("Created True PyTorchJobCreated", "Suspended True PyTorchJobSuspended");
    assertThat(status.startTime()).isNull();

    suspended.pass(Duration.ofHours(1));
    suspended.edit(SPEC);
    status = settle(suspended);
    assertThat(conditions(status))
        .as("the column State shows the last")
        .containsExactly("Suspended False PyTorchJobResumed", "Created True PyTorchJobCreated");
    assertThat(status.startTime()).isEqualTo(suspended.now().toString());
  }

  @Test
  void whileSuspendedNothingIsActiveAndTheStartTimeIsAnewAtTheResume() {
    settle(world);
    world.allRun();
    String start = settle(world).startTime();
    world.edit(PAUSED);
    PyTorchJobStatus status = settle(world);
    assertThat(conditions(status))
        .containsExactly(
            "Created True PyTorchJobCreated",
            "Running False PyTorchJobSuspended",
            "Suspended True PyTorchJobSuspended");
    assertThat(status.startTime()).isEqualTo(start);
    assertThat(status.replicaStatuses().values()).allMatch(type -> type.active() == 0);

    world.pass(Duration.ofHours(1));
    world.edit(SPEC);
    for (int step = 0; step < 3; step++) {
      Observation seen = world.observe();
      stored =
          StatusRendering.of(
              ofThisKind(seen.job()), JobReport.of(seen, world.plan()), stored, world.now());
      assertThat(conditions(stored))
          .as("no replica has failed")
          .noneMatch(StatusRenderingTest::saysRestarting);
      assertThat(conditions(stored))
          .as("the column State reads neither Suspended nor Running")
          .last()
          .isEqualTo("Created True PyTorchJobCreated");
      world.step();
    }
    settle(world);
    world.allRun();
    status = settle(world);
    assertThat(conditions(status))
        .containsExactly(
            "Suspended False PyTorchJobResumed",
            "Created True PyTorchJobCreated",
            "Running True PyTorchJobRunning");
    assertThat(status.startTime()).isNotEqualTo(start);
  }

  private static boolean saysRestarting(String condition) {
    return condition.startsWith("Restarting");
  }

  @Test
  void aReplicaThatFailsAfterAResumeComesBackAsAnyOther() {
    settle(world);
    world.allRun();
    settle(world);
    world.edit(PAUSED);
    settle(world);
    world.edit(SPEC);
    settle(world);
    world.allRun();
    settle(world);
    world.exit("worker", 1, 1);
    Observation seen = world.observe();

    assertThat(
            conditions(
                StatusRendering.of(
                    ofThisKind(seen.job()), JobReport.of(seen, world.plan()), stored, world.now())))
        .last()
        .isEqualTo("Restarting True PyTorchJobRestarting");
  }

  @Test
  void aFailedJobSaysWhoAndWhy() {
    settle(world);
    world.allRun();
    settle(world);
    for (int restart = 0; restart <= 3; restart++) {
      world.exit("worker", 0, 7);
      settle(world);
      world.pass(Duration.ofMinutes(10));
      settle(world);
      if (world.pods().containsKey("mnist-worker-0")) {
        world.run("worker", 0);
      }
      settle(world);
    }
    PyTorchJobStatus failed = settle(world);
    assertThat(conditions(failed)).last().isEqualTo("Failed True PyTorchJobFailed");
    assertThat(failed.conditions())
        .last()
        .extracting(JobCondition::message, InstanceOfAssertFactories.STRING)
        .contains("mnist-worker-0", "exit code 7", "backoffLimit of 3");
  }

  @Test
  void aQuietJobIsNotWritten() {
    settle(world);
    world.allRun();
    PyTorchJobStatus before = settle(world);
    world.pass(Duration.ofMinutes(5));
    assertThat(settle(world)).isEqualTo(before);
  }
}
