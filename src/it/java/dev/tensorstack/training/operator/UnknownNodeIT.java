package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Nodes that the operator's watch has not brought, or not yet. */
@OperatorTest(value = "unknown", proxy = true, nodes = 3, operator = false)
class UnknownNodeIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long HELD_BACK_MILLIS = 120_000;
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final ControlPlane controlPlane;
  private final RestartScene scene;
  private final ApiProxy proxy;

  UnknownNodeIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    this.controlPlane = controlPlane;
    scene = new RestartScene(controlPlane, jobs, kubelet);
    this.proxy = proxy;
  }

  private OperatorProcess operator() {
    return scene.operator(
        proxy.kubeconfig(), Map.of("OPERATOR_NODE_LOSS_GRACE", GRACE.toSeconds() + "s"));
  }

  @Test
  void aNodeOfWhichTheWatchHasNotToldYetIsNotLost() {
    CountDownLatch end = new CountDownLatch(1);
    try (OperatorProcess operator = operator()) {
      scene.jobs.create(scene.job("before", "{}", "master 1 Never"));
      scene.jobs.awaitPhase("before", "Running");
      try (ApiProxy.Hook noNodes =
              proxy.beforeForwarding(
                  request -> {
                    if (request.is("watch", "nodes")) {
                      ApiProxy.await(end, HELD_BACK_MILLIS);
                    }
                    return Verdict.pass();
                  });
          FakeKubelet fresh = freshNodesAfter(proxy::cutConnections)) {
        scene.jobs.create(scene.job("fresh", "{}", "master 1 Never", "worker 1 Never fresh"));
        scene.jobs.awaitPhase("fresh", "Running");
        Instant until = Instant.now().plus(GRACE.multipliedBy(5));
        await("several graces")
            .atMost(PATIENCE)
            .until(
                () -> {
                  PyTorchTrainingJobStatus status = scene.jobs.get("fresh").getStatus();
                  assertThat(status.lastFailure()).isNull();
                  assertThat(status.phase()).isEqualTo("Running");
                  return Instant.now().isAfter(until);
                });
        assertThat(fresh.nodeNames())
            .allSatisfy(
                node ->
                    assertThat(proxy.requests(request -> asksFor(request, node)))
                        .as("questions about " + node)
                        .hasSize(1));
        end.countDown();
      }
      assertThat(operator.isAlive()).isTrue();
    }
  }

  private FakeKubelet freshNodesAfter(Runnable cut) {
    cut.run();
    return FakeKubelet.start(
        scene.client, FakeKubeletOptions.nodes(1).namePrefix("fresh").label("pool", "fresh"));
  }

  private static boolean asksFor(ApiRequest request, String node) {
    return request.is("get", "nodes") && request.name().equals(node)
        || request.is("list", "nodes") && request.query().contains("metadata.name%3D" + node);
  }

  @Test
  void aNodeThatIsGoneIsAskedForUntilThereIsAnAnswerAndThenLost() {
    try (OperatorProcess operator = operator();
        FakeKubelet gone =
            FakeKubelet.start(
                scene.client,
                FakeKubeletOptions.nodes(2).namePrefix("gone").label("pool", "gone"))) {
      scene.jobs.create(
          scene.job(
              "gone", "{restartScope: Replica}", "master 1 OnFailure", "worker 1 OnFailure gone"));
      scene.jobs.awaitPhase("gone", "Running");
      String node = scene.get(scene.pod("gone", "worker-0")).getSpec().getNodeName();
      String uid = scene.get(scene.pod("gone", "worker-0")).getMetadata().getUid();
      try (ApiProxy.Hook noAnswer =
          proxy.beforeForwarding(
              request -> asksFor(request, node) ? Verdict.answer(503, "Away") : Verdict.pass())) {
        scene.client.nodes().withName(node).delete();
        await("questions")
            .atMost(PATIENCE)
            .until(() -> proxy.requests(request -> asksFor(request, node)).size() >= 3);
      }
      PyTorchTrainingJobStatus status = scene.awaitRestarted("gone", 1);
      assertThat(status.lastFailure().node()).isEqualTo(node);
      assertThat(status.disruptionCount()).isEqualTo(1);
      assertThat(scene.get(scene.pod("gone", "worker-0-r1")).getMetadata().getUid())
          .isNotEqualTo(uid);
      assertThat(gone.nodeNames()).contains(node);
      assertThat(operator.isAlive()).isTrue();
    }
  }

  /** The nodes are known before the pods are; nothing is told of them in stack traces. */
  @Test
  void aStandbyThatStartsWhileANodeIsLostLogsNoStackTrace() throws IOException {
    String node = scene.kubelet.nodeNames().iterator().next();
    scene.kubelet.loseNode(node);
    String namespace = controlPlane.createNamespace("standby");
    scene
        .client
        .leases()
        .inNamespace(namespace)
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withName("pytorchtrainingjob-operator")
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("somebody-else")
                .withLeaseDurationSeconds(3600)
                .withAcquireTime(ZonedDateTime.now(ZoneOffset.UTC))
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .withLeaseTransitions(0)
                .endSpec()
                .build())
        .create();
    try (ApiProxy slow = ApiProxy.start(controlPlane.clientConfig());
        ApiProxy.Hook slowPods =
            slow.beforeForwarding(ApiProxy.delay(3_000, request -> request.is("list", "pods")));
        OperatorProcess standby =
            OperatorProcess.launch(
                slow.kubeconfig(),
                Map.of(
                    "OPERATOR_NAMESPACE",
                    namespace,
                    "OPERATOR_WATCH_NAMESPACES",
                    scene.namespace,
                    "OPERATOR_LEADER_ELECTION_ENABLED",
                    "true"))) {
      await("it has seen the lost node and waits for the Lease; log: " + standby.log())
          .atMost(PATIENCE)
          .until(
              () -> {
                String log = Files.readString(standby.log());
                return log.contains(node + " is lost") && log.contains("this replica waits");
              });
      await("it watches pods")
          .atMost(PATIENCE)
          .until(() -> !slow.requests(request -> request.is("watch", "pods")).isEmpty());
      assertThat(Files.readAllLines(standby.log()))
          .noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"));
    } finally {
      scene.kubelet.restoreNode(node);
    }
  }
}
