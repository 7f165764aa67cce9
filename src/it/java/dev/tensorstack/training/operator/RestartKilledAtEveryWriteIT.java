package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * An operator that is killed between any two writes of a restart leaves exact counts and no pod
 * twice.
 *
 * <p>In round k there is one job for each scope, each cause and each side of the k-th write. At
 * that write, and until the kill, no further write of the job gets through; when all jobs stand
 * there, the operator is killed with SIGKILL and another one is started.
 */
@OperatorTest(value = "kill", operator = false)
class RestartKilledAtEveryWriteIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofMillis(1500);
  private static final int MOST_WRITES = 20;

  private final ControlPlane controlPlane;
  private final RestartScene scene;
  private final SoftAssertions softly = new SoftAssertions();

  RestartKilledAtEveryWriteIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    scene = new RestartScene(controlPlane, jobs, kubelet);
  }

  /** One job of one round. */
  private final class Victim {
    private final String name;
    private final boolean scopeJob;
    private final boolean disruption;
    private final boolean afterwards;
    private final int kill;
    private final String base;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<@Nullable ApiRequest> hit = new AtomicReference<>();

    Victim(int kill, boolean scopeJob, boolean disruption, boolean afterwards) {
      this.kill = kill;
      this.scopeJob = scopeJob;
      this.disruption = disruption;
      this.afterwards = afterwards;
      name =
          (scopeJob ? "j" : "r") + (disruption ? "d" : "a") + (afterwards ? "a" : "b") + "-" + kill;
      scene.jobs.create(
          scene.job(
              name,
              "{restartScope: " + (scopeJob ? "Job" : "Replica") + "}",
              "worker 2 OnFailure"));
      base = scene.jobs.base(name);
    }

    boolean owns(ApiRequest request) {
      return request.isWrite()
          && (request.name().equals(name)
              || request.name().startsWith(base)
              || request.body().contains("\"" + base + "-")
              || request.body().contains("\"" + base + "."));
    }

    void fail() {
      String pod = base + "-worker-1";
      if (disruption) {
        scene.delete(pod, 0L);
      } else {
        scene.kubelet.finish(scene.namespace, pod, 1);
      }
    }

    boolean settled() {
      PyTorchTrainingJobStatus status = scene.jobs.get(name).getStatus();
      return status != null
          && "Running".equals(status.phase())
          && status.aggregate().running() == 2
          && status.tasks().get(0).restartCount() > 0;
    }

    boolean isHeld() {
      return hit.get() != null;
    }

    Verdict before(ApiRequest request, CountDownLatch killed) {
      if (!owns(request)) {
        return Verdict.pass();
      }
      int number = count.incrementAndGet();
      if (number == kill) {
        hit.set(request);
      }
      boolean passes = number < kill || (number == kill && afterwards);
      return passes ? Verdict.pass() : dropAfter(killed);
    }

    Verdict after(ApiRequest request, CountDownLatch killed) {
      return afterwards && request == hit.get() ? dropAfter(killed) : Verdict.pass();
    }

    void check(ApiProxy proxy) {
      PyTorchTrainingJobStatus status = scene.jobs.get(name).getStatus();
      softly.assertThat(status.attempt()).as(name).isEqualTo(scopeJob ? 1 : 0);
      softly.assertThat(status.backoffCount()).as(name).isEqualTo(disruption ? 0 : 1);
      softly.assertThat(status.disruptionCount()).as(name).isEqualTo(disruption ? 1 : 0);
      softly.assertThat(status.tasks().get(0).restartCount()).as(name).isEqualTo(1);
      softly
          .assertThat(Objects.requireNonNull(status.lastFailure()).replica())
          .as(name)
          .isEqualTo("worker-1");
      softly
          .assertThat(
              scene.jobs.pods(name).stream()
                  .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                  .map(pod -> pod.getMetadata().getName().substring(base.length() + 1)))
          .as(name)
          .containsExactly(scopeJob ? "worker-0-r1" : "worker-0", "worker-1-r1");
      softly
          .assertThat(created(proxy))
          .as(name + ": pods created")
          .doesNotHaveDuplicates()
          .hasSize(scopeJob ? 4 : 3);
      softly
          .assertThat(scene.jobs.events(name))
          .as(name)
          .extracting(Event::getReason)
          .containsExactlyInAnyOrderElementsOf(
              scopeJob
                  ? List.of(
                      "Created",
                      "Start",
                      "Running",
                      "ReplicaFailed",
                      "Restarting",
                      "NewReplica",
                      "Start",
                      "Running")
                  : List.of(
                      "Created", "Start", "Running", "ReplicaFailed", "Restarting", "NewReplica"));
      softly
          .assertThat(scene.jobs.events(name))
          .as(name)
          .allMatch(event -> event.getCount() == 1, "counted once");
    }

    private List<String> created(ApiProxy proxy) {
      return proxy
          .requests(
              request -> request.is("create", "pods") && request.code() == 201 && owns(request))
          .stream()
          .map(request -> Serialization.unmarshal(request.body(), Pod.class))
          .map(pod -> pod.getMetadata().getName())
          .toList();
    }
  }

  private static Verdict dropAfter(CountDownLatch killed) {
    ApiProxy.await(killed, LIMIT.toMillis());
    return Verdict.drop();
  }

  private List<Victim> victims(int kill) {
    List<Victim> victims = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      victims.add(new Victim(kill, (i & 1) == 0, (i & 2) == 0, (i & 4) == 0));
    }
    return victims;
  }

  @Test
  void countsAreExactWhereverTheOperatorIsKilled() {
    int reached = 0;
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig()).keepBodies()) {
      OperatorProcess operator = scene.operator(proxy.kubeconfig(), Map.of());
      List<Victim> victims = victims(1);
      boolean more = true;
      for (int k = 1; more && k <= MOST_WRITES; k++) {
        victims.forEach(one -> scene.jobs.awaitPhase(one.name, "Running"));
        more = killedAt(victims, proxy, operator);
        if (more) {
          reached = k;
          operator = scene.operator(proxy.kubeconfig(), Map.of());
        }
        List<Victim> next = more ? victims(k + 1) : List.of();
        for (Victim one : victims) {
          await(one.name + " is restarted").atMost(LIMIT).until(one::settled);
        }
        awaitQuiet(proxy, victims);
        victims.forEach(one -> one.check(proxy));
        victims = next;
      }
      operator.close();
    }
    softly.assertAll();
    // Three events, the status, a deletion, two creations, two events, a status.
    assertThat(reached).isBetween(8, MOST_WRITES - 1);
  }

  /** Lets the pods fail; false when no job has as many writes. */
  private boolean killedAt(List<Victim> victims, ApiProxy proxy, OperatorProcess operator) {
    CountDownLatch killed = new CountDownLatch(1);
    try (ApiProxy.Hook first =
            proxy.beforeForwarding(request -> ask(victims, one -> one.before(request, killed)));
        ApiProxy.Hook second =
            proxy.beforeAnswering(request -> ask(victims, one -> one.after(request, killed)))) {
      victims.forEach(Victim::fail);
      await("all jobs stand at their write or are done")
          .during(QUIET)
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> victims.stream().allMatch(one -> one.isHeld() || one.settled()));
      List<Victim> held = victims.stream().filter(Victim::isHeld).toList();
      held.forEach(one -> System.out.println(one.name + ": killed at " + one.hit.get()));
      if (held.isEmpty()) {
        return false;
      }
      operator.kill();
      killed.countDown();
      return true;
    }
  }

  private static Verdict ask(
      List<Victim> victims, java.util.function.Function<Victim, Verdict> hook) {
    for (Victim one : victims) {
      Verdict verdict = hook.apply(one);
      if (verdict.kind() != Verdict.Kind.PASS) {
        return verdict;
      }
    }
    return Verdict.pass();
  }

  private static void awaitQuiet(ApiProxy proxy, List<Victim> victims) {
    AtomicInteger before = new AtomicInteger(-1);
    await("no more writes")
        .during(QUIET)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(250))
        .until(
            () -> {
              int now =
                  proxy.requests(one -> victims.stream().anyMatch(job -> job.owns(one))).size();
              return before.getAndSet(now) == now;
            });
  }
}
