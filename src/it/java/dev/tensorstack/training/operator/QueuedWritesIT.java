package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Jobs of 500 pods on an API server that takes long for each: what is not wanted any more is not
 * asked for any more, and what is to go does not wait behind what was to come.
 */
@OperatorTest(value = "queued", nodes = 1, proxy = true, shortDelays = true)
class QueuedWritesIT {

  private static final int PODS = 500;

  /**
   * How long the API server takes for a pod. A machine that stands still for two seconds, as small
   * ones under load do, is no reason to send another round.
   */
  private static final Duration ROUND_TRIP = Duration.ofSeconds(3);

  /** When plans change: some pods are there, some are in flight, most wait. */
  private static final Duration BEGINNING = Duration.ofSeconds(4);

  /** Several round trips, in which a queue that was not emptied would have been. */
  private static final Duration WATCHED = Duration.ofSeconds(9);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RestartScene scene;
  private final ApiProxy proxy;
  private final Queue<Creation> creations = new ConcurrentLinkedQueue<>();

  /** The resources that were applied for TensorBoards. */
  private final Queue<String> tensorboards = new ConcurrentLinkedQueue<>();

  /** A pod's creation as it arrived. */
  private record Creation(String job, String name, int attempt, Instant arrival) {}

  QueuedWritesIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
    this.proxy = proxy;
    Function<ApiRequest, Verdict> delay =
        ApiProxy.delay(
            ROUND_TRIP.toMillis(), request -> isCreation(request) || isOfTensorboard(request));
    var unused =
        proxy.beforeForwarding(
            request -> {
              record(request);
              return delay.apply(request);
            });
  }

  private static boolean isCreation(ApiRequest request) {
    return request.is("create", "pods");
  }

  private static boolean isOfTensorboard(ApiRequest request) {
    return request.verb().equals("patch") && request.name().endsWith("-tensorboard");
  }

  private void record(ApiRequest request) {
    if (isOfTensorboard(request)) {
      tensorboards.add(request.resource());
    }
    if (isCreation(request)) {
      Pod pod = Serialization.unmarshal(request.body(), Pod.class);
      Map<String, String> labels = pod.getMetadata().getLabels();
      creations.add(
          new Creation(
              Objects.requireNonNull(labels.get(TrainingJobLabels.OWNER_NAME)),
              pod.getMetadata().getName(),
              Integer.parseInt(Objects.requireNonNull(labels.get(TrainingJobLabels.ATTEMPT))),
              request.arrival()));
    }
  }

  private List<Creation> creations(String job) {
    return creations.stream().filter(creation -> creation.job().equals(job)).toList();
  }

  /** A job whose pods no node takes: they are deleted at once, whatever kubelets do. */
  private String job(String name, String runPolicy) {
    return scene.job(name, runPolicy, "worker " + PODS + " OnFailure nowhere");
  }

  /** Creates a job and waits until its creation has begun. */
  private void begin(String name, String manifest) {
    scene.jobs.create(manifest);
    await("the first creation of " + name)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> !creations(name).isEmpty());
    Instant change = creations(name).get(0).arrival().plus(BEGINNING);
    await("some seconds of creations")
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Instant.now().isAfter(change));
    assertThat(creations(name)).as("some are under way, most wait").hasSizeBetween(9, PODS / 2);
  }

  /** For some time nothing arrives that is not wanted since a moment, but for one round trip. */
  private void assertCancelled(String job, Instant since, Predicate<Creation> unwanted) {
    await("several round trips")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> Instant.now().isAfter(since.plus(WATCHED)));
    List<Creation> late =
        creations(job).stream()
            .filter(unwanted)
            .filter(creation -> creation.arrival().isAfter(since.plus(ROUND_TRIP)))
            .toList();
    System.out.printf(
        "%s: %d creations, the last unwanted one %d ms after the change%n",
        job,
        creations(job).size(),
        creations(job).stream()
            .filter(unwanted)
            .mapToLong(creation -> Duration.between(since, creation.arrival()).toMillis())
            .max()
            .orElse(0));
    assertThat(late).isEmpty();
  }

  /** When the first pod of a job was asked to go. */
  private Instant firstDeletion(String base) {
    return await("a deletion")
        .atMost(PATIENCE)
        .until(
            () ->
                proxy.requests(
                    request -> request.is("delete", "pods") && request.name().startsWith(base)),
            deletions -> !deletions.isEmpty())
        .get(0)
        .arrival();
  }

  @Test
  void aPauseCallsCreationsBackAndDeletionsDoNotWaitBehindThem() {
    begin("paused", job("paused", "{}"));
    Instant change = Instant.now();
    scene.jobs.patch("paused", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    assertCancelled("paused", change, any -> true);
    scene.jobs.awaitPhase("paused", "Paused");
    assertThat(scene.jobs.pods("paused")).as("what was in flight is seen and goes").isEmpty();
    assertThat(firstDeletion(scene.jobs.base("paused"))).isBefore(change.plus(ROUND_TRIP));
    assertThat(scene.jobs.get("paused").getStatus().disruptionCount()).isZero();

    // What was called back is not expected: a resume begins with it.
    scene.jobs.patch("paused", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    String base = scene.jobs.base("paused");
    await("a pod that was called back is created")
        .atMost(PATIENCE)
        .until(
            () ->
                creations("paused").stream()
                    .anyMatch(creation -> creation.name().equals(base + "-worker-200")));
    remove("paused");
  }

  @Test
  void aDeletedJobIsCreatedNoFurther() {
    begin("deleted", job("deleted", "{}"));
    Instant change = Instant.now();
    scene.client.resource(scene.jobs.get("deleted")).delete();
    assertCancelled("deleted", change, any -> true);
    scene.jobs.awaitPods("deleted", 0);
  }

  /** Its Deployment and its Service are written one after the other. */
  @Test
  void theTensorboardOfADeletedJobIsCreatedNoFurther() {
    scene.jobs.create(
        scene
            .job("watched", "{}", "worker 1 OnFailure nowhere")
            .replace(
                "spec:\n  runPolicy",
                "spec:\n  tensorboardSpec: {logDir: {pvc: [{name: logs}]}}\n  runPolicy"));
    await("the first object").atMost(PATIENCE).until(() -> !tensorboards.isEmpty());
    Instant change = Instant.now();
    scene.kubectl("delete", "pj/watched", "--cascade=foreground", "--wait=false");
    await("several round trips")
        .pollInterval(Duration.ofMillis(100))
        .until(() -> Instant.now().isAfter(change.plus(WATCHED)));
    assertThat(tensorboards).hasSize(1);
    await("the job goes").atMost(PATIENCE).until(() -> scene.jobs.find("watched") == null);
  }

  @Test
  void aJobThatIsDeletedInTheForegroundIsCreatedNoFurther() {
    begin("foreground", job("foreground", "{}"));
    Instant change = Instant.now();
    scene.kubectl("delete", "pj/foreground", "--cascade=foreground", "--wait=false");
    assertCancelled("foreground", change, any -> true);
    scene.jobs.awaitPods("foreground", 0);
    await("the job goes").atMost(PATIENCE).until(() -> scene.jobs.find("foreground") == null);
  }

  @Test
  void shrinkingCallsBackWhatIsNotWantedAnyMore() {
    begin(
        "shrunk",
        job("shrunk", "{}")
            .replace(
                "spec:\n  runPolicy",
                "spec:\n  torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 1, maxReplicas: 500}\n  runPolicy"));
    String base = scene.jobs.base("shrunk");
    Instant change = Instant.now();
    scene.kubectl("scale", "pj/shrunk", "--replicas=2");
    assertCancelled("shrunk", change, any -> true);
    assertThat(scene.jobs.awaitPods("shrunk", 2))
        .extracting(pod -> pod.getMetadata().getName())
        .contains(base + "-worker-0");
    assertThat(firstDeletion(base)).isBefore(change.plus(ROUND_TRIP));
    remove("shrunk");
  }

  @Test
  void theDeadlineCallsCreationsBack() {
    begin("late", job("late", "{activeDeadlineSeconds: 3}"));
    scene.jobs.awaitPhase("late", "Failed");
    Instant end = Instant.parse(scene.jobs.get("late").getStatus().completionTime());
    // Times in a status are cut to seconds.
    assertCancelled("late", end.plusSeconds(1), any -> true);
    scene.jobs.awaitPods("late", 0);
  }

  @Test
  void theEndOfAJobCallsCreationsBack() {
    begin("done", job("done", "{}"));
    Instant change = Instant.now();
    scene.report(
        scene.pod("done", "worker-0"),
        RestartScene.ended(change, "\"exitCode\": 0").replace("Failed", "Succeeded"));
    scene.jobs.awaitPhase("done", "Succeeded");
    assertCancelled("done", change, any -> true);
    remove("done");
  }

  @Test
  void aNewAttemptCallsBackTheCreationsOfTheOneBefore() {
    begin("again", job("again", "{backoffLimit: 3}"));
    Instant change = Instant.now();
    scene.report(scene.pod("again", "worker-1"), RestartScene.ended(change, "\"exitCode\": 1"));
    assertCancelled("again", change, creation -> creation.attempt() == 0);
    await("the new attempt")
        .atMost(PATIENCE)
        .until(() -> creations("again").stream().anyMatch(creation -> creation.attempt() == 1));
    assertThat(scene.jobs.get("again").getStatus().backoffCount()).isEqualTo(1);
    remove("again");
  }

  private void remove(String job) {
    scene.client.resource(scene.jobs.get(job)).delete();
    scene.jobs.awaitPods(job, 0);
  }
}
