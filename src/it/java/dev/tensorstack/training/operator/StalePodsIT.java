package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An operator that takes over from an API server that lags behind replaces no pod that runs. */
@OperatorTest(value = "lag", proxy = true, operator = false)
class StalePodsIT {

  private final RestartScene scene;
  private final ApiProxy proxy;

  StalePodsIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
    this.proxy = proxy;
  }

  @Test
  void podsThatTheFirstListLacksAreNotReplaced() {
    String before =
        scene.client.pods().inNamespace(scene.namespace).list().getMetadata().getResourceVersion();
    List<String> pods;
    try (OperatorProcess first = scene.operator(scene.controlPlane.kubeconfig(), Map.of())) {
      scene.jobs.create(scene.job("taken-over", "{restartScope: Replica}", "worker 3 OnFailure"));
      scene.jobs.awaitPhase("taken-over", "Running");
      pods = uids();
      assertThat(first.isAlive()).isTrue();
    }
    ApiProxy.Hook old = proxy.beforeForwarding(request -> ofTheCache(request, before));
    ApiProxy.Hook silence =
        proxy.beforeAnswering(
            request -> request.is("watch", "pods") ? Verdict.truncate(0) : Verdict.pass());
    int created = proxy.requests(request -> request.is("create", "pods")).size();
    int listed = proxy.requests(StalePodsIT::isOfTheJob).size();
    try (OperatorProcess second = scene.operator(proxy.kubeconfig(), Map.of())) {
      await("it asks for the pods themselves, again and again")
          .atMost(Duration.ofSeconds(60))
          .until(() -> proxy.requests(StalePodsIT::isOfTheJob).size() >= listed + 3);
      assertThat(proxy.requests(request -> request.is("create", "pods"))).hasSize(created);
      silence.close();
      old.close();
      scene.delete(scene.pod("taken-over", "worker-1"), 0L);
      PyTorchTrainingJobStatus status =
          await("the cache has the pods, and one of them has vanished")
              .atMost(Duration.ofSeconds(60))
              .until(
                  () -> scene.jobs.get("taken-over").getStatus(),
                  one -> one.disruptionCount() == 1 && "Running".equals(one.phase()));
      assertThat(status.backoffCount()).isZero();
      assertThat(uids()).hasSize(3).contains(pods.get(0), pods.get(2)).doesNotContain(pods.get(1));
      assertThat(second.isAlive()).isTrue();
    }
  }

  @Test
  void anAttemptDoesNotBeginBesidePodsOfTheOneBeforeThatTheFirstListLacks() {
    String before =
        scene.client.pods().inNamespace(scene.namespace).list().getMetadata().getResourceVersion();
    ApiProxy.Hook refused =
        proxy.beforeForwarding(
            request ->
                request.is("delete", "pods")
                    ? Verdict.answer(500, "InternalError")
                    : Verdict.pass());
    try (OperatorProcess first = scene.operator(proxy.kubeconfig(), Map.of())) {
      scene.jobs.create(scene.job("restarts", "{restartScope: Job}", "worker 3 OnFailure"));
      scene.jobs.awaitPhase("restarts", "Running");
      scene.kubelet.finish(scene.namespace, scene.pod("restarts", "worker-1"), 1);
      scene.jobs.await("restarts", "a new attempt", status -> status.attempt() == 1);
      first.kill();
    }
    refused.close();
    ApiProxy.Hook old = proxy.beforeForwarding(request -> ofTheCache(request, before));
    ApiProxy.Hook silence =
        proxy.beforeAnswering(
            request -> request.is("watch", "pods") ? Verdict.truncate(0) : Verdict.pass());
    int created = proxy.requests(request -> request.is("create", "pods")).size();
    int listed = proxy.requests(StalePodsIT::isOfTheJob).size();
    try (OperatorProcess second = scene.operator(proxy.kubeconfig(), Map.of())) {
      await("it asks for the pods themselves, again and again")
          .atMost(Duration.ofSeconds(60))
          .until(() -> proxy.requests(StalePodsIT::isOfTheJob).size() >= listed + 3);
      assertThat(proxy.requests(request -> request.is("create", "pods"))).hasSize(created);
      silence.close();
      old.close();
      scene.jobs.await("restarts", "it runs again", status -> "Running".equals(status.phase()));
      assertThat(scene.jobs.get("restarts").getStatus().backoffCount()).isEqualTo(1);
      assertThat(scene.jobs.pods("restarts"))
          .filteredOn(pod -> "Running".equals(pod.getStatus().getPhase()))
          .extracting(pod -> pod.getMetadata().getName())
          .hasSize(3)
          .allMatch(name -> name.endsWith("-r1"));
      assertThat(second.isAlive()).isTrue();
    }
  }

  /** The list with which a cache of pods begins is answered as it was at an earlier time. */
  private Verdict ofTheCache(ApiRequest request, String version) {
    if (!request.is("list", "pods") || isOfTheJob(request)) {
      return Verdict.pass();
    }
    String labels = request.query().replaceAll(".*(labelSelector=[^&]*).*", "$1");
    return Verdict.answer(
        scene.client.raw(
            request.path()
                + "?"
                + labels
                + "&resourceVersionMatch=Exact&resourceVersion="
                + version));
  }

  private static boolean isOfTheJob(ApiRequest request) {
    return request.is("list", "pods") && request.query().contains("job-uid%20in");
  }

  private List<String> uids() {
    return scene.jobs.pods("taken-over").stream()
        .map(Pod::getMetadata)
        .map(meta -> meta.getUid())
        .toList();
  }
}
