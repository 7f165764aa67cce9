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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An operator that sees pods as they are and their job as it was deletes none of them. */
@OperatorTest(value = "stale", proxy = true, shortDelays = true)
class StaleJobIT {

  private static final String JOBS = "pytorchtrainingjobs";

  private final RestartScene scene;
  private final ApiProxy proxy;

  StaleJobIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
    this.proxy = proxy;
  }

  /** No news of jobs until it is closed; what is asked by name is answered. */
  private ApiProxy.Hook blind() {
    AtomicInteger dropped = new AtomicInteger();
    ApiProxy.Hook hook =
        proxy.beforeForwarding(
            request -> {
              if (request.is("watch", JOBS) || request.is("list", JOBS)) {
                dropped.incrementAndGet();
                return Verdict.drop();
              }
              return Verdict.pass();
            });
    proxy.cutConnections();
    await("the watch of jobs is refused")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              if (dropped.get() == 0) {
                proxy.cutConnections();
              }
              return dropped.get() > 0;
            });
    return hook;
  }

  private void pause(String job, boolean on) {
    scene.jobs.patch(job, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + on + "}}}}");
  }

  private List<ApiRequest> deletions() {
    return proxy.requests(request -> request.is("delete", "pods"));
  }

  @Test
  void aJobThatIsPausedInTheCacheOnlyKeepsThePodsOfItsResume() {
    scene.jobs.create(scene.job("resumed", "{}", "worker 3 Never"));
    scene.jobs.awaitPhase("resumed", "Running");
    pause("resumed", true);
    scene.jobs.awaitPhase("resumed", "Paused");
    int before = deletions().size();
    try (ApiProxy.Hook blind = blind();
        OperatorProcess other = other()) {
      pause("resumed", false);
      PyTorchTrainingJobStatus status = scene.jobs.awaitPhase("resumed", "Running").getStatus();
      List<String> pods = uids("resumed");
      assertThat(pods).hasSize(3);
      await("it looks at the pods of the resume and asks for the job")
          .until(
              () ->
                  !proxy
                      .requests(
                          request -> request.is("get", JOBS) && request.name().equals("resumed"))
                      .isEmpty());
      await("no pod is deleted")
          .during(Duration.ofSeconds(2))
          .atMost(Duration.ofSeconds(20))
          .until(() -> deletions().size() == before);
      assertThat(uids("resumed")).isEqualTo(pods);
      assertThat(status.disruptionCount()).isZero();
      assertThat(other.isAlive()).isTrue();
    }
    // It sees again: what is to go goes.
    pause("resumed", true);
    scene.jobs.awaitPhase("resumed", "Paused");
    assertThat(scene.jobs.get("resumed").getStatus().disruptionCount()).isZero();
    assertThat(deletions()).hasSize(before + 3);
  }

  private OperatorProcess other() {
    Path direct = scene.controlPlane.kubeconfig();
    return scene.operator(direct, Map.of());
  }

  private List<String> uids(String job) {
    return scene.jobs.pods(job).stream().map(Pod::getMetadata).map(meta -> meta.getUid()).toList();
  }
}
