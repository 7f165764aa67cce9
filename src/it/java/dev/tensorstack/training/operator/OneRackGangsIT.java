package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.schedulers.Coscheduling;
import dev.tensorstack.training.schedulers.Volcano;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recipe of docs/tasks/topology.md for gangs, with the real Volcano and coscheduling. */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OneRackGangsIT {

  private static final Logger LOG = Logger.getLogger(OneRackGangsIT.class);

  private static final String VOLCANO = "{volcano: {queue: default}}";
  private static final String COSCHEDULING = "{coscheduling: {}}";
  private static final String JOB = "one-rack-gang";

  /** Of its own: it has the schedulers' objects. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Volcano volcano;
  private Coscheduling coscheduling;
  private Racks racks;
  private OperatorProcess operator;
  private String namespace;
  private Jobs jobs;

  @BeforeAll
  void start() {
    volcano = Volcano.start(plane);
    coscheduling = Coscheduling.startWithUsualDelays(plane);
    racks = Racks.start(plane, "gangs");
    OperatorProcess.installCrds(plane.client());
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
  }

  @AfterAll
  void stop() {
    try (plane) {
      operator.close();
      racks.close();
      coscheduling.close();
      volcano.close();
    }
  }

  @BeforeEach
  void makeNamespace() {
    namespace = plane.createNamespace("gangs");
    jobs = new Jobs(plane.client(), namespace);
  }

  @AfterEach
  void clear() {
    racks.clear(namespace);
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  /** What the scheduler says, not that it has said nothing. */
  private static boolean saysWhy(String message) {
    return message.contains(" nodes are ");
  }

  private static String gang(String scheduler) {
    String manifest = Racks.manifest("one-rack-gang.yaml");
    String given = "scheduler: {kubernetes: {}}";
    assertThat(manifest).contains(given);
    assertThat(manifest.lines().filter(line -> line.contains(given)).findFirst().orElseThrow())
        .as("the page names the other schedulers")
        .contains(scheduler);
    return manifest.replace(given, "scheduler: " + scheduler);
  }

  @ParameterizedTest
  @ValueSource(strings = {VOLCANO, COSCHEDULING})
  void aGangIsInTheRackThatHasRoomForIt(String scheduler) {
    racks.leave(namespace, 1, 2, 3);
    apply(gang(scheduler));
    racks.awaitInRack(jobs, JOB, 3, "r3");
  }

  @ParameterizedTest
  @ValueSource(strings = {VOLCANO, COSCHEDULING})
  void aGangThatNoRackCanHoldHoldsNoNodeSaysSoAndRunsOnceOneCan(String scheduler) {
    racks.leave(namespace, 1, 2, 2);
    apply(gang(scheduler));
    jobs.await(
        JOB,
        "says why it waits",
        status ->
            "Pending".equals(status.phase())
                && List.of("Unschedulable", "WaitingForGang")
                    .contains(Racks.running(status).reason())
                && saysWhy(String.valueOf(Racks.running(status).message())));
    LOG.infof(
        "MEASURED %s says: %s",
        scheduler, Racks.running(Objects.requireNonNull(jobs.get(JOB).getStatus())).message());
    assertThat(racks.racksOf(jobs.pods(JOB))).hasSize(3).containsOnlyNulls();

    racks.free(namespace, "r2");

    racks.awaitInRack(jobs, JOB, 3, "r2");
  }

  @ParameterizedTest
  @ValueSource(strings = {VOLCANO, COSCHEDULING})
  void aGangThatOnlyPrefersOneRackSpreadsWhereNoneHasRoom(String scheduler) {
    racks.leave(namespace, 1, 1, 2);
    apply(
        Racks.manifest("near.yaml")
            .replace(
                "spec:\n  replicaSpecs:",
                "spec:\n  scheduler: " + scheduler + "\n  replicaSpecs:"));
    jobs.awaitPhase("near", "Running");
    assertThat(jobs.pods("near"))
        .allMatch(pod -> !"default-scheduler".equals(pod.getSpec().getSchedulerName()));
    assertThat(racks.racksOf(jobs.pods("near"))).doesNotContainNull().hasSize(3);
    assertThat(racks.racksOf(jobs.pods("near")).stream().distinct().count()).isGreaterThan(1);
  }
}
