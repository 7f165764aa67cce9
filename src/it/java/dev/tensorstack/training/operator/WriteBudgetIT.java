package dev.tensorstack.training.operator;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a job of four pods may cost the API server: 4 pods, 1 Service, 6 status writes, events. */
@OperatorTest(value = "budget", operator = false)
class WriteBudgetIT {

  private static final int PODS = 4;
  private static final int STATUS_WRITES = 6;

  /** The first status, the start and the end are written at once. */
  private static final int DECISIONS = 3;

  private static final int MANY = 20;
  private static final String STATUS = "update pytorchtrainingjobs/status";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final AdminAccount account;
  private final FakeKubelet kubelet;

  WriteBudgetIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs home, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.kubelet = kubelet;
    account = AdminAccount.create(controlPlane, home.namespace(), "operator");
    // The master a little later than the others, as it is with torchrun.
    kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("ends-"),
        Behaviour.succeedAfter(Duration.ofSeconds(4)));
    kubelet.rule(
        pod ->
            pod.getMetadata().getName().startsWith("ends-")
                && "master".equals(pod.getMetadata().getLabels().get(TrainingJobLabels.JOB_ROLE)),
        Behaviour.succeedAfter(Duration.ofSeconds(6)));
  }

  @Test
  void aJobOfFourPodsCostsAtMostFourPodsOneServiceAndSixStatusWrites() {
    String namespace = controlPlane.createNamespace("budget-one");
    Jobs jobs = new Jobs(client, namespace);
    AuditLog log = AuditLog.fromNowOn(controlPlane, account.user());
    try (OperatorProcess operator = operator(namespace)) {
      jobs.create(Jobs.simple("ends-one", PODS, "Never"));
      jobs.awaitPhase("ends-one", "Succeeded");
      awaitSettled(log);
      assertThat(operator.isAlive()).isTrue();
    }
    assertWithinBudget(namespace, 1, false, log.writes());
  }

  @Test
  void whatStillRunsWhenTheMasterEndsCostsOneDeletionForEachPodAndNothingElse() {
    String namespace = controlPlane.createNamespace("budget-cleanup");
    Jobs jobs = new Jobs(client, namespace);
    AuditLog log = AuditLog.fromNowOn(controlPlane, account.user());
    try (OperatorProcess operator = operator(namespace)) {
      jobs.create(Jobs.simple("runs-on", PODS, "Never"));
      jobs.awaitPhase("runs-on", "Running");
      kubelet.finish(namespace, jobs.base("runs-on") + "-worker-0", 0);
      jobs.awaitPhase("runs-on", "Succeeded");
      jobs.awaitPods("runs-on", 1);
      awaitSettled(log);
      assertThat(operator.isAlive()).isTrue();
    }
    assertWithinBudget(namespace, 1, true, log.writes());
  }

  @Test
  void twentyJobsAtOnceStayEachWithinItsBudget() {
    String namespace = controlPlane.createNamespace("budget-many");
    Jobs jobs = new Jobs(client, namespace);
    AuditLog log = AuditLog.fromNowOn(controlPlane, account.user());
    try (OperatorProcess operator = operator(namespace)) {
      List<String> names = IntStream.range(0, MANY).mapToObj(i -> "ends-" + i).toList();
      names.parallelStream().forEach(name -> jobs.create(Jobs.simple(name, PODS, "Never")));
      names.forEach(name -> jobs.awaitPhase(name, "Succeeded"));
      awaitSettled(log);
      assertThat(operator.isAlive()).isTrue();
    }
    // On a slow machine some workers still run when their master ends.
    assertWithinBudget(namespace, MANY, true, log.writes());
  }

  private OperatorProcess operator(String namespace) {
    return OperatorProcess.start(
        account.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  /** Nothing comes after the end: three seconds are three times what a status write may wait. */
  private static void awaitSettled(AuditLog log) {
    int writes = log.writes().size();
    Duration quiet = Duration.ofSeconds(3);
    int[] seen = {writes};
    Awaitility.await("the last writes")
        .during(quiet)
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              int now = log.writes().size();
              boolean same = now == seen[0];
              seen[0] = now;
              return same;
            });
  }

  private static void assertWithinBudget(
      String namespace, int jobs, boolean cleanUp, List<AuditLog.Write> writes) {
    SoftAssertions softly = new SoftAssertions();
    softly.assertThat(writes).as("failed writes").allMatch(write -> write.code() < 400);
    softly.assertThat(writes).allMatch(write -> write.namespace().equals(namespace));
    Map<String, Long> counts =
        writes.stream().collect(groupingBy(AuditLog.Write::what, counting()));
    System.out.println(namespace + ": " + counts);
    softly
        .assertThat(counts.keySet())
        .isSubsetOf(
            cleanUp
                ? List.of("create pods", "create services", "create events", STATUS, "delete pods")
                : List.of("create pods", "create services", "create events", STATUS));
    softly.assertThat(counts).containsEntry("create pods", (long) PODS * jobs);
    softly.assertThat(counts).containsEntry("create services", (long) jobs);
    softly
        .assertThat(counts.getOrDefault("delete pods", 0L))
        .isLessThanOrEqualTo(cleanUp ? (PODS - 1L) * jobs : 0L);
    Map<String, List<String>> statusWrites =
        writes.stream()
            .filter(write -> write.what().equals(STATUS))
            .collect(groupingBy(AuditLog.Write::name, mapping(AuditLog.Write::time, toList())));
    softly.assertThat(statusWrites).hasSize(jobs);
    statusWrites.forEach(
        (job, times) ->
            softly
                .assertThat(times.size())
                .as("status writes of %s: %s", job, times)
                .isLessThanOrEqualTo(Math.max(STATUS_WRITES, DECISIONS + seconds(times))));
    softly.assertAll();
  }

  /** A slow machine shows more of a job's course: a write a second, beside those that decide. */
  private static int seconds(List<String> times) {
    return (int)
        Duration.between(Instant.parse(times.get(0)), Instant.parse(times.get(times.size() - 1)))
            .toSeconds();
  }
}
