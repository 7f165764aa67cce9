package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a job whose node does not report any more. */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostNodeIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Below the time after which Kubernetes deletes the pods, which is 5 s here. */
  private static final Map<String, String> SHORT_GRACE = Map.of("OPERATOR_NODE_LOSS_GRACE", "3s");

  private static final Map<String, String> LONG_GRACE = Map.of("OPERATOR_NODE_LOSS_GRACE", "10m");

  private final ControlPlane controlPlane;
  private final RestartScene quick;
  private final RestartScene patient;
  private final FakeKubelet workers;
  private final FakeKubelet others;
  private final FakeKubelet there;
  private final List<OperatorProcess> operators;

  LostNodeIT(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    quick = new RestartScene(controlPlane, "lost-quick", FakeKubeletOptions.nodes(2));
    patient = new RestartScene(controlPlane, "lost-patient", FakeKubeletOptions.nodes(2));
    workers = pool("lost-workers", 4);
    others = pool("lost-others", 3);
    there = pool("lost-there", 1);
    operators =
        List.of(
            quick.operator(controlPlane.kubeconfig(), SHORT_GRACE),
            patient.operator(controlPlane.kubeconfig(), LONG_GRACE));
  }

  private FakeKubelet pool(String name, int nodes) {
    return FakeKubelet.start(
        controlPlane.client(),
        FakeKubeletOptions.nodes(nodes).namePrefix(name).label("pool", name));
  }

  @AfterAll
  void stop() {
    operators.forEach(OperatorProcess::close);
    Stream.of(workers, others, there).forEach(FakeKubelet::close);
    quick.close();
    patient.close();
  }

  private static String nodeOf(RestartScene scene, String job, String replica) {
    return scene.get(scene.pod(job, replica)).getSpec().getNodeName();
  }

  // #2072
  @Test
  void itsPodIsReplacedAfterTheGraceAndNothingDoublesWhenItComesBack() {
    List<String> names = List.of("scope-job", "scope-replica");
    quick.jobs.create(
        quick.job(
            "scope-job",
            "{backoffLimit: 0}",
            "master 1 OnFailure",
            "worker 1 OnFailure lost-workers"));
    quick.jobs.create(
        quick.job(
            "scope-replica",
            "{backoffLimit: 0, restartScope: Replica}",
            "master 1 OnFailure",
            "worker 1 OnFailure lost-workers"));
    names.forEach(job -> quick.jobs.awaitPhase(job, "Running"));
    List<String> lost = names.stream().map(job -> nodeOf(quick, job, "worker-0")).toList();
    lost.forEach(workers::loseNode);

    for (String job : names) {
      PyTorchTrainingJobStatus status = quick.awaitRestarted(job, 1);
      assertThat(status.disruptionCount()).isEqualTo(1);
      assertThat(status.backoffCount()).isZero();
      assertThat(status.attempt()).isEqualTo(job.equals("scope-job") ? 1 : 0);
      var failure = Objects.requireNonNull(status.lastFailure());
      assertThat(failure.cause()).isEqualTo("Disruption");
      assertThat(failure.replica()).isEqualTo("worker-0");
      assertThat(failure.reason()).isEqualTo("NodeLost");
      assertThat(lost).contains(failure.node());
      System.out.println("lost node: " + failure);
      // The old one cannot go as long as its node is silent.
      Pod old = quick.get(quick.pod(job, "worker-0"));
      assertThat(old.getMetadata().getDeletionTimestamp()).isNotNull();
      assertThat(old.getStatus().getPhase()).isEqualTo("Running");
    }
    lost.forEach(workers::restoreNode);
    for (String job : names) {
      await("the old pod goes and the job stays as it is")
          .atMost(PATIENCE)
          .until(
              () -> {
                assertThat(quick.jobs.get(job).getStatus().phase()).isEqualTo("Running");
                return quick.get(quick.pod(job, "worker-0")) == null;
              });
      quick.kubectl("annotate", "pj", job, "look=again");
      await("nothing doubles")
          .during(Duration.ofSeconds(1))
          .atMost(PATIENCE)
          .until(
              () ->
                  "Running".equals(quick.jobs.get(job).getStatus().phase())
                      && quick.jobs.get(job).getStatus().columns().restarts() == 1);
      assertThat(quick.replicas(job))
          .containsExactly(job.equals("scope-job") ? "master-0-r1" : "master-0", "worker-0-r1");
    }
  }

  @Test
  void aLostMasterIsUnknownForTheGraceAndThenStartsANewAttempt() {
    quick.jobs.create(
        quick.job(
            "lost-master",
            "{restartScope: Replica}",
            "master 1 OnFailure lost-others",
            "worker 1 OnFailure"));
    quick.jobs.awaitPhase("lost-master", "Running");
    String node = nodeOf(quick, "lost-master", "master-0");
    others.loseNode(node);
    PyTorchTrainingJobStatus unknown = quick.jobs.awaitPhase("lost-master", "Unknown").getStatus();
    assertThat(unknown.aggregate().unknown()).isEqualTo(1);
    assertThat(unknown.lastFailure()).isNull();
    System.out.println("lost master: " + quick.kubectl("get", "pj", "lost-master", "-o", "wide"));
    PyTorchTrainingJobStatus status = quick.awaitRestarted("lost-master", 1);
    assertThat(status.attempt()).isEqualTo(1);
    assertThat(status.disruptionCount()).isEqualTo(1);
    others.restoreNode(node);
    await("the old one goes")
        .atMost(PATIENCE)
        .until(() -> quick.get(quick.pod("lost-master", "master-0")) == null);
    assertThat(quick.jobs.get("lost-master").getStatus().columns().restarts()).isEqualTo(1);
  }

  @Test
  void nothingHappensWhenItComesBackWithinTheGrace() {
    patient.jobs.create(
        patient
            .job("patient", "{}", "master 1 Never lost-others", "worker 1 Never")
            .replace(
                "nodeSelector",
                "tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect:"
                    + " NoExecute}]\n        nodeSelector"));
    patient.jobs.awaitPhase("patient", "Running");
    List<String> before =
        patient.jobs.pods("patient").stream().map(pod -> pod.getMetadata().getUid()).toList();
    String node = nodeOf(patient, "patient", "master-0");
    others.loseNode(node);
    patient.jobs.awaitPhase("patient", "Unknown");
    others.restoreNode(node);
    PyTorchTrainingJobStatus status = patient.jobs.awaitPhase("patient", "Running").getStatus();
    assertThat(status.lastFailure()).isNull();
    assertThat(status.columns().restarts()).isZero();
    assertThat(patient.jobs.pods("patient"))
        .extracting(pod -> pod.getMetadata().getUid())
        .isEqualTo(before);
  }

  @Test
  void aNodeOutOfServiceIsNotWaitedFor() {
    patient.jobs.create(
        patient.job(
            "out-of-service",
            "{restartScope: Replica}",
            "master 1 OnFailure",
            "worker 1 OnFailure lost-workers"));
    patient.jobs.awaitPhase("out-of-service", "Running");
    String node = nodeOf(patient, "out-of-service", "worker-0");
    workers.loseNode(node);
    controlPlane
        .kubectl("taint", "node", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
        .orThrow();
    PyTorchTrainingJobStatus status = patient.awaitRestarted("out-of-service", 1);
    assertThat(status.disruptionCount()).isEqualTo(1);
    assertThat(status.lastFailure().time()).startsWith("20");
    System.out.println("out of service: " + status.lastFailure());
    workers.restoreNode(node);
  }

  /**
   * A failure waits for a lost node that may be its cause, but not for one that will not come back.
   */
  @Test
  void aFailureBesideANodeThatIsTakenOutOfServiceIsDecided() {
    patient.jobs.create(
        patient.job(
            "failed-beside",
            "{restartScope: Job}",
            "master 1 OnFailure",
            "worker 1 OnFailure lost-workers",
            "peer 1 OnFailure"));
    patient.jobs.awaitPhase("failed-beside", "Running");
    String node = nodeOf(patient, "failed-beside", "worker-0");
    workers.loseNode(node);
    patient.jobs.await(
        "failed-beside", "the lost node", status -> status.aggregate().unknown() == 1);
    patient.kubelet.finish(patient.namespace, patient.pod("failed-beside", "peer-0"), 1);
    patient.jobs.await(
        "failed-beside", "the failed pod", status -> status.aggregate().failed() == 1);

    controlPlane
        .kubectl("taint", "node", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
        .orThrow();
    PyTorchTrainingJobStatus status = patient.awaitRestarted("failed-beside", 1);
    assertThat(status.attempt()).isEqualTo(1);
    workers.restoreNode(node);
  }

  /** The scheduler has no say, so that each replacement is lost from its first moment on. */
  @Test
  void aReplacementOnTheLostNodeHasTheGraceOfItsOwn() {
    String node = there.nodeNames().iterator().next();
    quick.jobs.create(
        quick
            .job(
                "lands-there",
                "{restartScope: Replica}",
                "master 1 OnFailure",
                "worker 1 OnFailure lost-there")
            .replaceAll(
                "( *)nodeSelector: \\{pool: lost-there}",
                "$1nodeName: " + node + "\n$1tolerations: [{operator: Exists}]"));
    quick.jobs.awaitPhase("lands-there", "Running");
    there.loseNode(node);
    quick.jobs.await(
        "lands-there", "the third replacement", status -> status.disruptionCount() == 3);
    List<Instant> created =
        quick.jobs.pods("lands-there").stream()
            .filter(pod -> pod.getMetadata().getName().contains("-worker-0"))
            .map(RestartScene::createdAt)
            .sorted()
            .toList();
    for (int i = 2; i < created.size(); i++) {
      // Times of the API are cut to seconds.
      assertThat(Duration.between(created.get(i - 1), created.get(i)))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
    }
    there.restoreNode(node);
    quick.awaitRestarted(
        "lands-there", quick.jobs.get("lands-there").getStatus().columns().restarts());
  }

  /** The host names that the Service gives to pods, each as often as it is given. */
  private static List<String> hostNames(RestartScene scene, String job) {
    return scene
        .client
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(scene.namespace)
        .withLabel("kubernetes.io/service-name", scene.jobs.base(job))
        .list()
        .getItems()
        .stream()
        .flatMap(slice -> hostNames(slice).stream())
        .sorted()
        .toList();
  }

  private static List<String> hostNames(EndpointSlice slice) {
    List<Endpoint> endpoints =
        Objects.requireNonNullElse(slice.getEndpoints(), List.<Endpoint>of());
    return endpoints.stream().map(endpoint -> String.valueOf(endpoint.getHostname())).toList();
  }

  /** Each replica answers to its name, and no two pods ever do while something is done. */
  private static void awaitOneOfEach(RestartScene scene, String job, Runnable whileThis) {
    List<String> twice = new CopyOnWriteArrayList<>();
    String service = scene.jobs.base(job);
    try (Watch watch =
        scene
            .client
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(scene.namespace)
            .withLabel("kubernetes.io/service-name", service)
            .watch(
                new Watcher<EndpointSlice>() {
                  @Override
                  public void eventReceived(Action action, EndpointSlice slice) {
                    Set<String> names = new HashSet<>();
                    hostNames(slice).stream().filter(name -> !names.add(name)).forEach(twice::add);
                  }

                  @Override
                  public void onClose(WatcherException cause) {}
                })) {
      whileThis.run();
      await("one pod for each name")
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(hostNames(scene, job))
                      .containsExactly(service + "-master-0", service + "-worker-0"));
    }
    assertThat(twice).as("names that two pods answered to").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Replica", "Job"})
  void noPodOfALostNodeAnswersToTheNameOfItsReplacement(String scope) {
    String job = "names-" + scope.toLowerCase(Locale.ROOT);
    quick.jobs.create(
        quick.job(
            job,
            "{restartScope: " + scope + "}",
            "master 1 OnFailure lost-workers",
            "worker 1 OnFailure lost-workers"));
    quick.jobs.awaitPhase(job, "Running");
    List<String> nodes = List.of(nodeOf(quick, job, "master-0"), nodeOf(quick, job, "worker-0"));
    awaitOneOfEach(
        quick,
        job,
        () -> {
          workers.loseNode(nodes.get(1));
          quick.awaitRestarted(job, 1);
        });
    Pod old = quick.get(quick.pod(job, "worker-0"));
    assertThat(old.getStatus().getPhase()).as("a zombie").isEqualTo("Running");
    workers.restoreNode(nodes.get(1));
    await("the old pod goes")
        .atMost(PATIENCE)
        .until(() -> quick.get(quick.pod(job, "worker-0")) == null);

    String masters = nodeOf(quick, job, scope.equals("Job") ? "master-0-r1" : "master-0");
    awaitOneOfEach(
        quick,
        job,
        () -> {
          workers.loseNode(masters);
          quick.jobs.await(
              job,
              "Running in the next attempt",
              status ->
                  status.attempt() == (scope.equals("Job") ? 2 : 1)
                      && "Running".equals(status.phase())
                      && status.aggregate().running() == 2);
        });
    workers.restoreNode(masters);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{debug: {enabled: true}}"})
  void whatIsLostWhileAJobPausesAnswersToNoNameAfterwards(String mode) {
    String job = mode.equals("{}") ? "names-paused" : "names-debug";
    quick.jobs.create(
        quick
            .job(job, "{}", "master 1 OnFailure lost-others", "worker 1 OnFailure lost-others")
            .replace("  runPolicy", "  runMode: " + mode + "\n  runPolicy"));
    quick.jobs.awaitPhase(job, "Running");
    String node = nodeOf(quick, job, "master-0");
    others.loseNode(node);
    quick.jobs.patch(
        job, "{\"spec\": {\"runMode\": {\"debug\": null, \"pause\": {\"enabled\": true}}}}");
    quick.jobs.awaitPhase(job, "Paused");
    awaitOneOfEach(
        quick,
        job,
        () -> {
          quick.jobs.patch(job, "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": false}}}}");
          quick.jobs.awaitPhase(job, "Running");
        });
    others.restoreNode(node);
  }

  /** Not even a right that is missing, or a policy that forbids it, keeps a job from going on. */
  @Test
  void aNameThatCannotBeTakenFromAPodHoldsItsReplacementUpForSecondsOnly() {
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig());
        RestartScene scene =
            new RestartScene(controlPlane, "lost-refused", FakeKubeletOptions.nodes(1));
        OperatorProcess operator = scene.operator(proxy.kubeconfig(), SHORT_GRACE);
        ApiProxy.Hook refusal =
            proxy.beforeForwarding(
                request ->
                    request.is("patch", "pods")
                        ? Verdict.answer(403, "Forbidden")
                        : Verdict.pass())) {
      scene.jobs.create(
          scene.job(
              "refused",
              "{restartScope: Replica}",
              "master 1 OnFailure",
              "worker 1 OnFailure lost-workers"));
      scene.jobs.awaitPhase("refused", "Running");
      String node = nodeOf(scene, "refused", "worker-0");
      workers.loseNode(node);
      scene.awaitRestarted("refused", 1);
      assertThat(proxy.requests(request -> request.is("patch", "pods")))
          .as("tries")
          .hasSizeBetween(2, 10);
      assertThat(
              await("it is said")
                  .atMost(PATIENCE)
                  .until(() -> scene.events("refused", "CreateFailed"), one -> !one.isEmpty()))
          .allSatisfy(
              event ->
                  assertThat(event.getMessage())
                      .contains(scene.pod("refused", "worker-0"), "injected: Forbidden", "patch"));
      workers.restoreNode(node);
      assertThat(operator.isAlive()).isTrue();
    }
  }

  @Test
  void aNodeThatIsDeletedIsLost() {
    quick.jobs.create(
        quick.job(
            "node-deleted",
            "{restartScope: Replica}",
            "master 1 OnFailure",
            "worker 1 OnFailure lost-others"));
    quick.jobs.awaitPhase("node-deleted", "Running");
    String node = nodeOf(quick, "node-deleted", "worker-0");
    others.loseNode(node);
    controlPlane.client().nodes().withName(node).delete();
    PyTorchTrainingJobStatus status = quick.awaitRestarted("node-deleted", 1);
    assertThat(status.disruptionCount()).isEqualTo(1);
    assertThat(status.lastFailure().node()).isEqualTo(node);
  }
}
