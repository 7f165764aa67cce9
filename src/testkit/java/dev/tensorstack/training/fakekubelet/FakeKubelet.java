package dev.tensorstack.training.fakekubelet;

import dev.tensorstack.training.controlplane.KubernetesVersion;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that do not exist. Pods that the scheduler binds to them start, run and end as told, and
 * their deletion is confirmed, all through the API as a kubelet does it. Nothing is executed.
 *
 * <p>Safe for use by several threads.
 */
public final class FakeKubelet implements AutoCloseable {
  private static final Logger LOG = System.getLogger(FakeKubelet.class.getName());
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final Duration RESTART_PAUSE = Duration.ofMillis(100);
  private static final Duration RETRY_PAUSE = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int TRIES = 25;
  private static final String LEASES = "kube-node-lease";
  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

  private final KubernetesClient client;
  private final FakeKubeletOptions options;
  private final Set<String> nodes = ConcurrentHashMap.newKeySet();
  private final Set<String> lostNodes = ConcurrentHashMap.newKeySet();
  private final Map<String, TrackedPod> pods = new ConcurrentHashMap<>();
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final AtomicInteger addresses = new AtomicInteger();
  private final AtomicInteger threads = new AtomicInteger();
  private final ExecutorService workers;
  private final ScheduledExecutorService timer;
  private @Nullable SharedIndexInformer<Pod> informer;

  private record Rule(Predicate<Pod> predicate, Behaviour behaviour) {}

  private enum Stage {
    BOUND,
    RUNNING,
    ENDED
  }

  /** What the node knows about one pod; guarded by itself. */
  private static final class TrackedPod {
    private final String uid;
    private final String node;
    private final String ip;
    private final Behaviour behaviour;
    private final List<Runnable> whenNodeIsBack = new ArrayList<>();
    private Pod pod;
    private Stage stage = Stage.BOUND;
    private Instant started = Instant.EPOCH;
    private int restarts;
    private boolean ending;
    private boolean overdue;
    private boolean gone;

    TrackedPod(Pod pod, String ip, Behaviour behaviour) {
      this.uid = pod.getMetadata().getUid();
      this.node = pod.getSpec().getNodeName();
      this.pod = pod;
      this.ip = ip;
      this.behaviour = behaviour;
    }

    synchronized Stage stage() {
      return stage;
    }
  }

  private FakeKubelet(KubernetesClient client, FakeKubeletOptions options) {
    this.client = client;
    this.options = options;
    this.workers =
        Executors.newFixedThreadPool(
            options.parallelism(),
            task -> daemon(task, "fake-kubelet-" + threads.incrementAndGet()));
    this.timer =
        Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "fake-kubelet-timer"));
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Registers the nodes and begins to look after the pods that are bound to them.
   *
   * @param client an administrator; stays open when this is closed
   * @return when the nodes are ready to take pods
   * @throws KubernetesClientException when a node cannot be registered
   */
  public static FakeKubelet start(KubernetesClient client, FakeKubeletOptions options) {
    FakeKubelet kubelet = new FakeKubelet(client, options);
    try {
      kubelet.begin();
    } catch (RuntimeException e) {
      kubelet.close();
      throw e;
    }
    return kubelet;
  }

  private void begin() {
    inParallel(
        IntStream.range(0, options.count())
            .mapToObj(i -> options.namePrefix() + "-" + i)
            .map(name -> (Runnable) () -> register(name))
            .toList());
    informer =
        client
            .pods()
            .inAnyNamespace()
            .withoutField("spec.nodeName", "")
            .runnableInformer(0)
            .addEventHandler(
                new ResourceEventHandler<Pod>() {
                  @Override
                  public void onAdd(Pod pod) {
                    observe(pod);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {
                    observe(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean stateUnknown) {
                    forget(pod);
                  }
                })
            .run();
    var unused =
        timer.scheduleAtFixedRate(
            () -> nodes.forEach(node -> inBackground(() -> heartbeat(node))),
            HEARTBEAT.toMillis(),
            HEARTBEAT.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** The names of the nodes. */
  public Set<String> nodeNames() {
    return Set.copyOf(nodes);
  }

  /**
   * Says what certain pods do from now on. It is asked once per pod, when the pod is bound; the
   * rule that was added last is asked first. Pods without a rule do {@link Behaviour#run()}.
   *
   * @param predicate which pods; called by several threads
   */
  public void rule(Predicate<Pod> predicate, Behaviour behaviour) {
    rules.add(0, new Rule(predicate, behaviour));
  }

  /** Forgets all rules; pods that are bound already go on as they were told. */
  public void clearRules() {
    rules.clear();
  }

  /** As {@link #finish(String, String, int, String)} with the usual reason of that exit code. */
  public void finish(String namespace, String podName, int exitCode) {
    finish(namespace, podName, exitCode, exitCode == 0 ? "Completed" : "Error");
  }

  /**
   * Ends the containers of a running pod now. The restart policy decides whether the pod has ended
   * with them. Waits, up to 20 seconds, for the pod to be running; returns when the API server has
   * the new status (on a lost node: at once, and the status follows when the node is back).
   *
   * @param reason the reason in the state of the terminated containers, for example {@code
   *     OOMKilled}
   * @throws org.awaitility.core.ConditionTimeoutException when the pod does not run here in time
   */
  public void finish(String namespace, String podName, int exitCode, String reason) {
    TrackedPod tracked = awaitRunning(namespace, podName);
    nowOrWhenNodeIsBack(tracked, () -> end(tracked, tracked.restarts, exitCode, reason));
  }

  /**
   * Ends the containers of a running pod, and waits before it starts them again (CrashLoopBackOff):
   * for as long as the pod exists. Waits, up to 20 seconds, for the pod to be running.
   *
   * @param exitCode the exit code of the containers
   * @throws org.awaitility.core.ConditionTimeoutException when the pod does not run here in time
   */
  public void backOff(String namespace, String podName, int exitCode) {
    TrackedPod tracked = awaitRunning(namespace, podName);
    nowOrWhenNodeIsBack(
        tracked,
        () ->
            report(
                tracked,
                PodReports.backingOff(
                    tracked.pod,
                    tracked.ip,
                    tracked.started,
                    tracked.restarts,
                    PodReports.exited(exitCode, "Error", tracked.started, Instant.now()))));
  }

  /**
   * Evicts a running pod now, as {@link Behaviour#evictedAfter} does. Waits, up to 20 seconds, for
   * the pod to be running.
   *
   * @throws org.awaitility.core.ConditionTimeoutException when the pod does not run here in time
   */
  public void evict(String namespace, String podName) {
    TrackedPod tracked = awaitRunning(namespace, podName);
    nowOrWhenNodeIsBack(tracked, () -> evict(tracked, tracked.restarts, 137));
  }

  private TrackedPod awaitRunning(String namespace, String podName) {
    return Objects.requireNonNull(
        Awaitility.await("pod " + namespace + "/" + podName + " runs on a fake node")
            .atMost(PATIENCE)
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(20))
            .until(() -> running(namespace, podName), tracked -> tracked != null));
  }

  private @Nullable TrackedPod running(String namespace, String podName) {
    Pod pod = client.pods().inNamespace(namespace).withName(podName).get();
    TrackedPod tracked = pod == null ? null : pods.get(pod.getMetadata().getUid());
    return tracked != null && tracked.stage() == Stage.RUNNING ? tracked : null;
  }

  /**
   * Takes a node off the network: it is marked as unreachable, and reports and confirms nothing any
   * more. Pods that do not tolerate that are deleted by the controller manager, and stay, being
   * deleted. (It deletes none while no node at all is ready: lose one of several.)
   *
   * @throws IllegalArgumentException when it is not one of {@link #nodeNames()}
   */
  public void loseNode(String node) {
    requireKnown(node);
    lostNodes.add(node);
    setReady(node, "Unknown", "NodeStatusUnknown");
    String taints =
        """
        {"spec":{"taints":[
          {"key":"%1$s","effect":"NoSchedule","timeAdded":"%2$s"},
          {"key":"%1$s","effect":"NoExecute","timeAdded":"%2$s"}]}}
        """
            .formatted(UNREACHABLE, Instant.now().truncatedTo(ChronoUnit.SECONDS));
    client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), taints);
  }

  /**
   * Brings a lost node back: it is ready, and catches up with what it missed. Nothing happens when
   * it is not lost.
   *
   * @throws IllegalArgumentException when it is not one of {@link #nodeNames()}
   */
  public void restoreNode(String node) {
    requireKnown(node);
    if (!lostNodes.remove(node)) {
      return;
    }
    heartbeat(node);
    setReady(node, "True", "KubeletReady");
    removeTaints(node);
    for (TrackedPod tracked : pods.values()) {
      if (tracked.node.equals(node)) {
        List<Runnable> missed;
        synchronized (tracked) {
          missed = List.copyOf(tracked.whenNodeIsBack);
          tracked.whenNodeIsBack.clear();
        }
        missed.forEach(this::inBackground);
      }
    }
  }

  private void requireKnown(String node) {
    if (!nodes.contains(node)) {
      throw new IllegalArgumentException(node + " is not one of " + nodes);
    }
  }

  /**
   * Ends everything: the nodes are deleted, and so are the pods that were bound to them. Does
   * nothing the second time.
   */
  @Override
  public synchronized void close() {
    if (workers.isShutdown()) {
      return;
    }
    if (informer != null) {
      informer.close();
    }
    timer.shutdownNow();
    List<Runnable> removals = new ArrayList<>();
    for (String node : nodes) {
      removals.add(
          () -> {
            client.nodes().withName(node).delete();
            client.leases().inNamespace(LEASES).withName(node).delete();
          });
    }
    for (TrackedPod tracked : pods.values()) {
      removals.add(() -> delete(tracked));
    }
    try {
      inParallel(removals);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "fake nodes were not removed completely", e);
    }
    workers.shutdownNow();
  }

  // --- nodes

  private void register(String name) {
    Node node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("kubernetes.io/hostname", name)
            .addToLabels("kubernetes.io/os", "linux")
            .addToLabels("kubernetes.io/arch", "amd64")
            .addToLabels(options.labels())
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withCapacity(options.capacity())
            .withAllocatable(options.capacity())
            .addNewAddress("127.0.0.1", "InternalIP")
            .addNewAddress(name, "Hostname")
            .addNewCondition()
            .withType("Ready")
            .withStatus("True")
            .withReason("KubeletReady")
            .withLastHeartbeatTime(now())
            .withLastTransitionTime(now())
            .endCondition()
            .withNewNodeInfo()
            .withKubeletVersion(KubernetesVersion.chosen() + "-fake")
            .withOperatingSystem("linux")
            .withArchitecture("amd64")
            .withContainerRuntimeVersion("fake://1")
            .withKernelVersion("fake")
            .withOsImage("fake")
            .withMachineID(name)
            .withSystemUUID(name)
            .withBootID(name)
            .withKubeProxyVersion("")
            .endNodeInfo()
            .endStatus()
            .build();
    try {
      client.nodes().resource(node).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 409) {
        throw e;
      }
      client.nodes().withName(name).delete(); // left behind by a killed test run
      client.nodes().resource(node).create();
    }
    nodes.add(name);
    heartbeat(name);
    removeTaints(name); // the API server puts "not ready" on every new node
  }

  private void heartbeat(String node) {
    if (lostNodes.contains(node)) {
      return;
    }
    client
        .leases()
        .inNamespace(LEASES)
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withName(node)
                .withNamespace(LEASES)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(node)
                .withLeaseDurationSeconds(40)
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .endSpec()
                .build())
        .forceConflicts()
        .serverSideApply();
  }

  private void setReady(String node, String status, String reason) {
    Map<String, Object> patch =
        Map.of(
            "status",
            Map.of(
                "conditions",
                List.of(
                    new NodeConditionBuilder()
                        .withType("Ready")
                        .withStatus(status)
                        .withReason(reason)
                        .withLastHeartbeatTime(now())
                        .withLastTransitionTime(now())
                        .build())));
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), json(patch));
  }

  private void removeTaints(String node) {
    client
        .nodes()
        .withName(node)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"taints\":null}}");
  }

  // --- pods

  private void observe(Pod pod) {
    String node = pod.getSpec().getNodeName();
    if (node == null || !nodes.contains(node)) {
      return;
    }
    String uid = pod.getMetadata().getUid();
    TrackedPod known = pods.get(uid);
    TrackedPod tracked = known != null ? known : new TrackedPod(pod, nextAddress(), behaviour(pod));
    boolean ends;
    boolean expires;
    synchronized (tracked) {
      tracked.pod = pod;
      ends = pod.getMetadata().getDeletionTimestamp() != null && !tracked.ending;
      tracked.ending |= ends;
      expires = pod.getSpec().getActiveDeadlineSeconds() != null && !tracked.overdue;
      tracked.overdue |= expires;
      if (known == null && isTerminal(pod)) {
        tracked.stage = Stage.ENDED;
      }
    }
    if (known == null) {
      pods.put(uid, tracked);
      later(tracked, tracked.behaviour.startDelay(), () -> start(tracked));
    }
    if (expires) {
      Duration left =
          Duration.between(
              Instant.now(),
              Instant.parse(pod.getMetadata().getCreationTimestamp())
                  .plusSeconds(pod.getSpec().getActiveDeadlineSeconds()));
      later(tracked, left.isNegative() ? options.deletionDelay() : left, () -> exceed(tracked));
    }
    if (ends) {
      later(tracked, options.deletionDelay(), () -> remove(tracked));
    }
  }

  private void forget(Pod pod) {
    TrackedPod tracked = pods.remove(pod.getMetadata().getUid());
    if (tracked != null) {
      // Not to wait for a request that is under way on behalf of the pod.
      inBackground(
          () -> {
            synchronized (tracked) {
              tracked.gone = true;
            }
          });
    }
  }

  private Behaviour behaviour(Pod pod) {
    return rules.stream()
        .filter(rule -> rule.predicate().test(pod))
        .findFirst()
        .map(Rule::behaviour)
        .orElseGet(Behaviour::run);
  }

  private static boolean isTerminal(Pod pod) {
    String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private String nextAddress() {
    int number = addresses.incrementAndGet();
    return "10." + (128 + (number >> 16 & 63)) + "." + (number >> 8 & 255) + "." + (number & 255);
  }

  private void start(TrackedPod tracked) {
    if (tracked.stage != Stage.BOUND || tracked.ending) {
      return;
    }
    switch (tracked.behaviour.kind()) {
      case STAY_PENDING -> {}
      case IMAGE_PULL_BACK_OFF ->
          report(
              tracked,
              PodReports.waiting(
                  tracked.pod, tracked.ip, Instant.now(), tracked.behaviour.reason()));
      case RUN, EXIT, EVICT -> reportRunning(tracked, null);
    }
  }

  private void reportRunning(TrackedPod tracked, @Nullable ContainerState lastState) {
    tracked.started = Instant.now();
    report(
        tracked,
        PodReports.running(tracked.pod, tracked.ip, tracked.started, tracked.restarts, lastState));
    tracked.stage = Stage.RUNNING;
    int round = tracked.restarts;
    Behaviour behaviour = tracked.behaviour;
    Duration runTime =
        round > 0 && behaviour.runTime().compareTo(RESTART_PAUSE) < 0
            ? RESTART_PAUSE
            : behaviour.runTime();
    if (behaviour.kind() == Behaviour.Kind.EXIT) {
      later(tracked, runTime, () -> end(tracked, round, behaviour.exitCode(), behaviour.reason()));
    } else if (behaviour.kind() == Behaviour.Kind.EVICT) {
      later(tracked, runTime, () -> evict(tracked, round, behaviour.exitCode()));
    }
  }

  private void end(TrackedPod tracked, int round, int exitCode, String reason) {
    if (tracked.stage != Stage.RUNNING || tracked.restarts != round) {
      return;
    }
    String policy = tracked.pod.getSpec().getRestartPolicy();
    boolean restarts =
        !tracked.ending
            && (policy == null
                || policy.equals("Always")
                || (policy.equals("OnFailure") && exitCode != 0));
    if (restarts) {
      tracked.restarts++;
      reportRunning(tracked, PodReports.exited(exitCode, reason, tracked.started, Instant.now()));
    } else {
      reportEnded(tracked, exitCode, reason);
    }
  }

  private void reportEnded(TrackedPod tracked, int exitCode, String reason) {
    report(
        tracked,
        PodReports.ended(
            tracked.pod,
            tracked.ip,
            tracked.started,
            Instant.now(),
            tracked.restarts,
            exitCode,
            reason));
    tracked.stage = Stage.ENDED;
  }

  private void evict(TrackedPod tracked, int round, int exitCode) {
    if (tracked.stage != Stage.RUNNING || tracked.restarts != round) {
      return;
    }
    report(
        tracked,
        PodReports.evicted(
            tracked.pod, tracked.ip, tracked.started, Instant.now(), tracked.restarts, exitCode));
    tracked.stage = Stage.ENDED;
  }

  /** As a kubelet ends a pod whose activeDeadlineSeconds are over: the pod stays. */
  private void exceed(TrackedPod tracked) {
    if (tracked.stage != Stage.RUNNING || tracked.ending) {
      return;
    }
    PodStatus status =
        PodReports.ended(
            tracked.pod,
            tracked.ip,
            tracked.started,
            Instant.now(),
            tracked.restarts,
            options.deletionExitCode(),
            "Error");
    status.setPhase("Failed");
    status.setReason("DeadlineExceeded");
    status.setMessage("Pod was active on the node longer than the specified deadline");
    report(tracked, status);
    tracked.stage = Stage.ENDED;
  }

  private void remove(TrackedPod tracked) {
    if (tracked.stage == Stage.RUNNING) {
      int exitCode = options.deletionExitCode();
      reportEnded(tracked, exitCode, exitCode == 0 ? "Completed" : "Error");
    }
    delete(tracked);
  }

  // --- requests

  private void report(TrackedPod tracked, PodStatus status) {
    if (tracked.gone) {
      return;
    }
    String patch = json(Map.of("metadata", Map.of("uid", tracked.uid), "status", status));
    insist(
        tracked,
        () ->
            client
                .pods()
                .inNamespace(tracked.pod.getMetadata().getNamespace())
                .withName(tracked.pod.getMetadata().getName())
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
  }

  private void delete(TrackedPod tracked) {
    if (tracked.gone) {
      return;
    }
    String uri =
        "/api/v1/namespaces/%s/pods/%s"
            .formatted(
                tracked.pod.getMetadata().getNamespace(), tracked.pod.getMetadata().getName());
    insist(
        tracked,
        () ->
            client.raw(
                uri,
                "DELETE",
                new DeleteOptionsBuilder()
                    .withApiVersion("v1")
                    .withGracePeriodSeconds(0L)
                    .withNewPreconditions(null, tracked.uid)
                    .build()));
  }

  /** Repeats a request until it gets through or until the pod is not the one any more. */
  private void insist(TrackedPod tracked, Runnable request) {
    for (int i = 1; ; i++) {
      try {
        request.run();
        return;
      } catch (KubernetesClientException e) {
        boolean otherPod = e.getCode() == 404 || (e.getCode() == 409 && i > 3);
        if (otherPod || workers.isShutdown()) {
          tracked.gone = true;
          return;
        }
        if (i == TRIES) {
          LOG.log(
              Level.WARNING,
              "gave up a report about pod " + tracked.pod.getMetadata().getName(),
              e);
          return;
        }
        try {
          TimeUnit.MILLISECONDS.sleep(RETRY_PAUSE.toMillis());
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  // --- threads

  /** Does a step of a pod after a time, or when its node is back. */
  private void later(TrackedPod tracked, Duration delay, Runnable step) {
    Runnable guarded = () -> nowOrWhenNodeIsBack(tracked, step);
    if (delay.isZero()) {
      inBackground(guarded);
      return;
    }
    try {
      var unused =
          timer.schedule(() -> inBackground(guarded), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "closed", e);
    }
  }

  private void nowOrWhenNodeIsBack(TrackedPod tracked, Runnable step) {
    synchronized (tracked) {
      if (lostNodes.contains(tracked.node)) {
        tracked.whenNodeIsBack.add(() -> nowOrWhenNodeIsBack(tracked, step));
      } else if (!tracked.gone) {
        step.run();
      }
    }
  }

  private void inBackground(Runnable task) {
    try {
      workers.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException e) {
              if (!workers.isShutdown()) {
                LOG.log(Level.WARNING, "a fake node failed", e);
              }
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "closed", e);
    }
  }

  private void inParallel(List<Runnable> tasks) {
    CompletableFuture.allOf(
            tasks.stream()
                .map(task -> CompletableFuture.runAsync(task, workers))
                .toArray(CompletableFuture<?>[]::new))
        .join();
  }

  private String json(Object value) {
    return client.getKubernetesSerialization().asJson(value);
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
