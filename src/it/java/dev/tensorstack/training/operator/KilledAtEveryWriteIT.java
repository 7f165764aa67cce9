package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Killing the operator between any two writes of a job's creation and starting it again gives the
 * same objects and no duplicate.
 *
 * <p>The k-th write is the k-th to arrive at the proxy: an operator makes some of its writes at the
 * same time. The operator that is started after one kill is the one that is killed next, with the
 * next job in another namespace.
 */
@OperatorTest(value = "killed", operator = false)
class KilledAtEveryWriteIT {

  private static final int PODS = 3;
  private static final String JOB = "killed";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SETTLED = Duration.ofSeconds(3);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final FakeKubelet kubelet;

  KilledAtEveryWriteIT(ControlPlane controlPlane, KubernetesClient client, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.kubelet = kubelet;
  }

  @Test
  void beforeOrAfterAnyWriteAndStartedAgainGivesTheSameObjectsOnce() {
    List<String> undisturbed = new ArrayList<>();
    int writes = undisturbedRun(undisturbed);
    SoftAssertions softly = new SoftAssertions();
    CompletableFuture<SoftAssertions> before =
        CompletableFuture.supplyAsync(() -> new Series(false, writes, undisturbed).run());
    CompletableFuture<SoftAssertions> after =
        CompletableFuture.supplyAsync(() -> new Series(true, writes, undisturbed).run());
    softly.assertAlso(before.join());
    softly.assertAlso(after.join());
    softly.assertAll();
  }

  /** Counts the writes up to Running, and remembers the objects. */
  private int undisturbedRun(List<String> objects) {
    String namespace = controlPlane.createNamespace("undisturbed");
    Jobs jobs = new Jobs(client, namespace);
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig());
        OperatorProcess operator =
            OperatorProcess.start(
                proxy.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace))) {
      jobs.create(Jobs.simple(JOB, PODS, "OnFailure"));
      jobs.awaitPhase(JOB, "Running");
      awaitQuiet(proxy, namespace);
      assertThat(operator.isAlive()).isTrue();
      objects.addAll(objects(namespace));
      List<ApiRequest> writes = writes(proxy, namespace);
      System.out.println("undisturbed: " + writes);
      assertThat(writes).allMatch(write -> write.code() < 300).hasSizeGreaterThan(PODS + 3);
      return writes.size();
    }
  }

  private static List<ApiRequest> writes(ApiProxy proxy, String namespace) {
    return proxy.requests(request -> request.isWrite() && request.namespace().equals(namespace));
  }

  private static void awaitQuiet(ApiProxy proxy, String namespace) {
    AtomicInteger before = new AtomicInteger(-1);
    await("no more writes in " + namespace)
        .during(SETTLED)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(250))
        .until(
            () -> {
              int now = writes(proxy, namespace).size();
              return before.getAndSet(now) == now;
            });
  }

  /** Service and pods in the words that do not depend on namespace and uid. */
  private List<String> objects(String namespace) {
    Jobs jobs = new Jobs(client, namespace);
    String uid = jobs.get(JOB).getMetadata().getUid();
    String base = jobs.base(JOB);
    List<String> objects = new ArrayList<>();
    for (Service service : client.services().inNamespace(namespace).list().getItems()) {
      objects.add(
          service.getMetadata().getName()
              + service.getMetadata().getLabels()
              + service.getMetadata().getOwnerReferences()
              + service.getSpec().getPorts()
              + service.getSpec().getSelector());
    }
    for (Pod pod : client.pods().inNamespace(namespace).list().getItems()) {
      objects.add(
          pod.getMetadata().getName()
              + pod.getMetadata().getLabels()
              + pod.getMetadata().getOwnerReferences()
              + pod.getSpec().getHostname()
              + Serialization.asJson(pod.getSpec().getContainers()));
    }
    return objects.stream()
        .map(
            text ->
                text.replace(base, "BASE")
                    .replace(uid, "UID")
                    .replace(namespace, "NAMESPACE")
                    .replaceAll("kube-api-access-[a-z0-9]+", "TOKEN"))
        .sorted()
        .toList();
  }

  /** All kills of one variant, one after another. */
  private final class Series {
    private final boolean afterwards;
    private final List<String> namespaces;
    private final List<String> undisturbed;
    private final List<Integer> notReached = new ArrayList<>();
    private final SoftAssertions softly = new SoftAssertions();

    Series(boolean afterwards, int writes, List<String> undisturbed) {
      this.afterwards = afterwards;
      this.undisturbed = undisturbed;
      this.namespaces =
          IntStream.rangeClosed(1, writes)
              .mapToObj(k -> controlPlane.createNamespace((afterwards ? "after-" : "before-") + k))
              .toList();
    }

    SoftAssertions run() {
      Map<String, String> environment =
          Map.of("OPERATOR_WATCH_NAMESPACES", String.join(",", namespaces));
      try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig())) {
        OperatorProcess operator = OperatorProcess.start(proxy.kubeconfig(), environment);
        for (int k = 1; k <= namespaces.size(); k++) {
          if (killedAt(k, proxy, operator)) {
            operator = OperatorProcess.start(proxy.kubeconfig(), environment);
          } else {
            notReached.add(k);
          }
          check(k, proxy);
        }
        // Nothing that happened at its birth keeps a job from its end.
        for (String namespace : namespaces) {
          Jobs jobs = new Jobs(client, namespace);
          kubelet.finish(namespace, jobs.base(JOB) + "-worker-0", 0);
          jobs.awaitPhase(JOB, "Succeeded");
        }
        operator.close();
      }
      // Two writes may become one when the machine is slow; not more than the last ones.
      softly
          .assertThat(notReached)
          .as("writes that did not come")
          .allMatch(k -> k > namespaces.size() - 3);
      return softly;
    }

    /** Creates the job and waits for the kill; false when the job runs without that write. */
    private boolean killedAt(int k, ApiProxy proxy, OperatorProcess operator) {
      String namespace = namespaces.get(k - 1);
      Jobs jobs = new Jobs(client, namespace);
      AtomicInteger count = new AtomicInteger();
      AtomicReference<@Nullable ApiRequest> hit = new AtomicReference<>();
      Function<ApiRequest, Verdict> choose =
          request -> {
            if (request.isWrite()
                && request.namespace().equals(namespace)
                && count.incrementAndGet() == k) {
              hit.set(request);
              if (!afterwards) {
                operator.kill();
                return Verdict.drop();
              }
            }
            return Verdict.pass();
          };
      Function<ApiRequest, Verdict> afterIt =
          request -> {
            if (afterwards && request == hit.get()) {
              operator.kill();
              return Verdict.drop();
            }
            return Verdict.pass();
          };
      try (ApiProxy.Hook first = proxy.beforeForwarding(choose);
          ApiProxy.Hook second = proxy.beforeAnswering(afterIt)) {
        jobs.create(Jobs.simple(JOB, PODS, "OnFailure"));
        AtomicInteger quietPolls = new AtomicInteger();
        await("write " + k + " or Running in " + namespace)
            .atMost(LIMIT)
            .pollInterval(Duration.ofMillis(100))
            .until(
                () -> {
                  boolean runs =
                      hit.get() == null
                          && jobs.get(JOB).getStatus() != null
                          && "Running".equals(jobs.get(JOB).getStatus().phase());
                  return !operator.isAlive()
                      || (runs ? quietPolls.incrementAndGet() : quietPolls.getAndSet(0)) > 30;
                });
        System.out.println(namespace + ": killed at " + hit.get());
        return !operator.isAlive();
      }
    }

    private void check(int k, ApiProxy proxy) {
      String namespace = namespaces.get(k - 1);
      Jobs jobs = new Jobs(client, namespace);
      try {
        jobs.awaitPhase(JOB, "Running");
      } catch (RuntimeException notRunning) {
        softly.fail(namespace + ": " + notRunning.getMessage());
        return;
      }
      awaitQuiet(proxy, namespace);
      PyTorchTrainingJob job = jobs.get(JOB);
      String base = jobs.base(JOB);
      softly.assertThat(objects(namespace)).as(namespace).isEqualTo(undisturbed);
      softly
          .assertThat(jobs.pods(JOB))
          .as(namespace)
          .extracting(pod -> pod.getMetadata().getName())
          .containsExactlyElementsOf(
              IntStream.range(0, PODS).mapToObj(i -> base + "-worker-" + i).toList());
      softly
          .assertThat(writes(proxy, namespace))
          .as(namespace + ": pods created")
          .filteredOn(write -> write.is("create", "pods") && write.code() == 201)
          .hasSize(PODS);
      softly
          .assertThat(writes(proxy, namespace))
          .as(namespace + ": Services created")
          .filteredOn(write -> write.is("create", "services") && write.code() == 201)
          .hasSize(1);
      softly
          .assertThat(writes(proxy, namespace))
          .as(namespace + ": nothing deleted")
          .noneMatch(write -> write.verb().startsWith("delete"));
      var status = Objects.requireNonNull(job.getStatus());
      softly.assertThat(status.attempt()).as(namespace).isZero();
      softly.assertThat(status.backoffCount()).as(namespace).isZero();
      softly.assertThat(status.disruptionCount()).as(namespace).isZero();
      softly
          .assertThat(Objects.requireNonNull(status.columns()).running())
          .as(namespace)
          .isEqualTo(PODS + "/" + PODS);
      softly
          .assertThat(jobs.events(JOB))
          .as(namespace)
          .extracting(Event::getReason)
          // Told only where some pods run before all do.
          .filteredOn(reason -> !reason.equals("Start"))
          .containsExactlyInAnyOrder("Created", "Running");
      softly.assertThat(jobs.events(JOB)).as(namespace).allMatch(event -> event.getCount() == 1);
    }
  }
}
