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
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two replicas of the operator, of which one works on jobs; on a control plane of its own, because
 * their Lease is in the namespace default.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaderElectionIT {

  private static final String LEASE = "pytorchtrainingjob-operator";
  private static final String SOMEBODY = "somebody-else";
  private static final Duration AFTER_A_STOP = Duration.ofSeconds(3);
  private static final Duration AFTER_A_KILL = Duration.ofSeconds(20);
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int ROUNDS = 3;

  private static final int PODS = 16;

  /** What a replica that waits may write. */
  private static final Set<String> OF_THE_ELECTION_AND_THE_WEBHOOKS =
      Set.of(
          "leases",
          "selfsubjectrulesreviews",
          "secrets",
          "mutatingwebhookconfigurations",
          "validatingwebhookconfigurations");

  private final ControlPlane controlPlane = ControlPlane.start();
  private final KubernetesClient client = controlPlane.client();
  private final FakeKubelet kubelet =
      FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("leader"));

  LeaderElectionIT() {
    OperatorProcess.installCrds(client);
  }

  @AfterAll
  void stop() {
    kubelet.close();
    controlPlane.close();
  }

  /** An operator and all that it sends. */
  private record Replica(OperatorProcess operator, ApiProxy proxy) implements AutoCloseable {

    boolean leads() {
      return MetricsPage.of(operator).sum("pytorchtrainingjob_operator_leader") == 1;
    }

    List<String> createdPods(String namespace) {
      return proxy
          .requests(
              request ->
                  request.is("create", "pods")
                      && request.namespace().equals(namespace)
                      && request.code() == 201)
          .stream()
          .map(request -> Serialization.unmarshal(request.body(), Pod.class))
          .map(pod -> pod.getMetadata().getName())
          .toList();
    }

    @Override
    public void close() {
      operator.close();
      proxy.close();
    }
  }

  /** One that leads and one that waits. */
  private record Pair(Replica leader, Replica waiting) implements AutoCloseable {
    @Override
    public void close() {
      leader.close();
      waiting.close();
    }
  }

  private Replica replica(String namespace) {
    ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig()).keepBodies();
    return new Replica(
        OperatorProcess.start(
            proxy.kubeconfig(),
            Map.of(
                "OPERATOR_WATCH_NAMESPACES", namespace,
                "OPERATOR_LEADER_ELECTION_ENABLED", "true",
                "OPERATOR_STATUS_MIN_INTERVAL", "200ms")),
        proxy);
  }

  private Pair pair(String namespace) {
    Replica first = replica(namespace);
    awaitLeading(first);
    return new Pair(first, replica(namespace));
  }

  private static void awaitLeading(Replica replica) {
    await("it leads; log: " + replica.operator().log())
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(replica::leads);
  }

  private @Nullable String holder(String namespace) {
    Lease lease = client.leases().inNamespace(namespace).withName(LEASE).get();
    return lease == null ? null : lease.getSpec().getHolderIdentity();
  }

  @Test
  void inAClusterOneReplicaWorksOnJobsAndBothServeTheWebhooks() throws IOException {
    String namespace = controlPlane.createNamespace("both");
    Map<String, String> settings =
        Map.of(
            "OPERATOR_NAMESPACE", namespace,
            "OPERATOR_WATCH_NAMESPACES", namespace,
            "OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s");
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig());
        ApiProxy otherProxy = ApiProxy.start(controlPlane.clientConfig());
        OperatorProcess one = OperatorProcess.startWithWebhooks(proxy.kubeconfig(), settings);
        OperatorProcess other =
            OperatorProcess.startWithWebhooks(otherProxy.kubeconfig(), settings)) {
      List<Replica> replicas = List.of(new Replica(one, proxy), new Replica(other, otherProxy));
      await("one leads").atMost(LIMIT).until(() -> replicas.stream().anyMatch(Replica::leads));
      Jobs jobs = new Jobs(client, namespace);
      jobs.create(Jobs.simple("any", 2, "Never"));
      jobs.awaitPhase("any", "Running");

      assertThat(replicas).filteredOn(Replica::leads).hasSize(1);
      assertThat(holder(namespace)).isNotBlank();
      Replica waiting =
          replicas.stream().filter(replica -> !replica.leads()).findFirst().orElseThrow();
      assertThat(waiting.proxy().writes())
          .filteredOn(write -> !write.query().contains("dryRun"))
          .extracting(ApiRequest::resource)
          .isSubsetOf(OF_THE_ELECTION_AND_THE_WEBHOOKS);
      assertThat(MetricsPage.of(waiting.operator()).types())
          .as("or a sum over both would count each job twice")
          .doesNotContainKey("pytorchtrainingjob_jobs");
      String trust = new Webhooks(client, Webhooks.BY_URL).secret(namespace, "ca.crt");
      for (Replica replica : replicas) {
        for (String path : List.of("/mutate", "/validate")) {
          assertThat(
                  WebhookClient.call(replica.operator().webhookUrl() + path, trust, "any").body())
              .contains("\"allowed\":true");
        }
      }
    }
  }

  @Tag("alone")
  @Test
  void afterAnOrderlyStopTheOtherWorksOnJobsWithinThreeSeconds() {
    String namespace = controlPlane.createNamespace("stopped");
    Jobs jobs = new Jobs(client, namespace);
    List<Duration> times = new ArrayList<>();
    Replica leader = replica(namespace);
    awaitLeading(leader);
    for (int round = 0; round < ROUNDS; round++) {
      Replica next = replica(namespace);
      Instant begin = Instant.now();
      CompletableFuture<Void> ending = CompletableFuture.runAsync(leader::close);
      awaitLeading(next);
      times.add(Duration.between(begin, Instant.now()));
      jobs.create(Jobs.simple("round-" + round, 1, "Never"));
      jobs.awaitPods("round-" + round, 1);
      ending.join();
      leader = next;
    }
    leader.close();
    System.out.println("take-over after SIGTERM: " + times);
    // A busy machine makes single times long.
    assertThat(Collections.min(times)).isLessThan(AFTER_A_STOP);
    assertThat(holder("default")).as("the last one gave it back, too").isNullOrEmpty();
  }

  @Test
  void afterAKillTheOtherWorksOnJobsWithinTwentySeconds() {
    String namespace = controlPlane.createNamespace("killed");
    Jobs jobs = new Jobs(client, namespace);
    try (Pair pair = pair(namespace)) {
      jobs.create(Jobs.simple("before", 2, "Never"));
      jobs.awaitPhase("before", "Running");
      Instant begin = Instant.now();
      pair.leader().operator().kill();
      jobs.create(Jobs.simple("meanwhile", 1, "Never"));
      jobs.awaitPods("meanwhile", 1);
      Duration time = Duration.between(begin, Instant.now());
      System.out.println("take-over after SIGKILL: " + time);
      assertThat(time).isLessThan(AFTER_A_KILL);
      assertThat(pair.waiting().createdPods(namespace)).hasSize(1);
    }
  }

  @Test
  void whoLosesTheLeaseEndsAtOnceAndSaysWhy() throws IOException {
    String namespace = controlPlane.createNamespace("lost");
    try (Pair pair = pair(namespace)) {
      await("the Lease is taken between two renewals")
          .ignoreExceptions()
          .until(this::takeLease, lease -> SOMEBODY.equals(lease.getSpec().getHolderIdentity()));
      assertThat(pair.leader().operator().awaitEnd()).isEqualTo(1);
      assertThat(Files.readString(pair.leader().operator().log()))
          .contains("the Lease default/" + LEASE + " was lost");
      awaitLeading(pair.waiting());
    }
  }

  @Test
  void whoCannotRenewTheLeaseEndsBeforeSomebodyElseLeads() {
    String namespace = controlPlane.createNamespace("cut");
    try (Pair pair = pair(namespace);
        ApiProxy.Hook cut = pair.leader().proxy().beforeForwarding(any -> Verdict.drop())) {
      assertThat(pair.leader().operator().awaitEnd()).isEqualTo(1);
      assertThat(pair.waiting().leads()).as("the other one, at the moment of the end").isFalse();
      awaitLeading(pair.waiting());
    }
  }

  @Test
  void anApiServerThatIsAwayAtTheStartIsWaitedFor() throws IOException {
    String namespace = controlPlane.createNamespace("away");
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig())) {
      ApiProxy.Hook cut = proxy.beforeForwarding(any -> Verdict.drop());
      try (OperatorProcess operator =
          OperatorProcess.launch(
              proxy.kubeconfig(),
              Map.of(
                  "OPERATOR_WATCH_NAMESPACES",
                  namespace,
                  "OPERATOR_LEADER_ELECTION_ENABLED",
                  "true"))) {
        await("it says so; log: " + operator.log())
            .until(() -> Files.readString(operator.log()).contains("does not answer"));
        cut.close();
        awaitLeading(new Replica(operator, proxy));
        Jobs jobs = new Jobs(client, namespace);
        jobs.create(Jobs.simple("late", 1, "Never"));
        jobs.awaitPhase("late", "Running");
      }
    }
  }

  private Lease takeLease() {
    return client
        .leases()
        .inNamespace("default")
        .withName(LEASE)
        .edit(
            lease -> {
              lease.getSpec().setHolderIdentity(SOMEBODY);
              lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
              return lease;
            });
  }

  @ParameterizedTest
  @CsvSource({"creation, true", "creation, false", "restart, true", "restart, false"})
  void nothingIsDoneOrCountedTwiceWhenTheLeaderGoesInTheMiddle(String moment, boolean orderly) {
    String namespace = controlPlane.createNamespace("middle");
    Jobs jobs = new Jobs(client, namespace);
    boolean restart = moment.equals("restart");
    try (Pair pair = pair(namespace)) {
      if (restart) {
        jobs.create(Jobs.simple("job", PODS, "OnFailure"));
        jobs.awaitPhase("job", "Running");
      }
      AtomicReference<CompletableFuture<Void>> ending = new AtomicReference<>();
      try (ApiProxy.Hook hook =
          pair.leader()
              .proxy()
              .beforeForwarding(atTheCreation(PODS / 4, pair.leader(), orderly, ending))) {
        if (restart) {
          kubelet.finish(namespace, jobs.base("job") + "-worker-1", 1);
        } else {
          jobs.create(Jobs.simple("job", PODS, "OnFailure"));
        }
        awaitLeading(pair.waiting());
      }
      Objects.requireNonNull(ending.get()).join();
      jobs.await(
          "job",
          "all pods run",
          status ->
              "Running".equals(status.phase())
                  && status.attempt() == (restart ? 1 : 0)
                  && status.aggregate().running() == PODS);
      assertOnce(pair, jobs, namespace, restart);
    }
  }

  /**
   * At the n-th creation the leader ends. In an orderly way the creation, and those beside it, are
   * still made, but not before it has begun to end.
   */
  private static Function<ApiRequest, Verdict> atTheCreation(
      int number,
      Replica leader,
      boolean orderly,
      AtomicReference<CompletableFuture<Void>> ending) {
    AtomicInteger creations = new AtomicInteger();
    return request -> {
      int creation = request.is("create", "pods") ? creations.incrementAndGet() : 0;
      if (creation < number || (creation > number && !orderly)) {
        return Verdict.pass();
      }
      if (orderly) {
        if (creation == number) {
          ending.set(CompletableFuture.runAsync(leader.operator()::close));
        }
        await("the leader ends").atMost(LIMIT).until(() -> !leader.leads());
        return Verdict.pass();
      }
      leader.operator().kill();
      ending.set(CompletableFuture.completedFuture(null));
      return Verdict.drop();
    };
  }

  private static void assertOnce(Pair pair, Jobs jobs, String namespace, boolean restart) {
    List<String> byTheNext = pair.waiting().createdPods(namespace);
    assertThat(byTheNext).as("the next one goes on").isNotEmpty();
    assertThat(Stream.concat(pair.leader().createdPods(namespace).stream(), byTheNext.stream()))
        .as("pods created")
        .doesNotHaveDuplicates()
        .hasSize(restart ? 2 * PODS : PODS);
    PyTorchTrainingJobStatus status = Objects.requireNonNull(jobs.get("job").getStatus());
    assertThat(status.backoffCount()).isEqualTo(restart ? 1 : 0);
    assertThat(status.disruptionCount()).isZero();
    Map<String, Long> events = new LinkedHashMap<>();
    jobs.events("job").forEach(event -> events.merge(event.getReason(), 1L, Long::sum));
    assertThat(events.getOrDefault("Restarting", 0L)).isEqualTo(restart ? 1 : 0);
    MetricsPage page = MetricsPage.of(pair.waiting().operator());
    assertThat(page.sum("pytorchtrainingjob_pods_created_total")).isEqualTo(byTheNext.size());
    assertThat(page.sum("pytorchtrainingjob_restarts_total"))
        .as("the one before stored and counted it")
        .isZero();
  }
}
