package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Registers the Node and keeps it alive: the lease at every beat, the status when it is due. */
final class NodeHeartbeat implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(NodeHeartbeat.class.getName());
  private static final Duration STATUS_PERIOD = Duration.ofMinutes(1);
  private static final int LEASE_SECONDS = 40;
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  private final KubernetesClient client;
  private final LocalNodeOptions options;
  private final int port;
  private final BooleanSupplier connected;
  private final ScheduledExecutorService timer;
  private Instant readySince = Instant.now();
  private Instant statusWritten = Instant.MIN;

  /**
   * Prepares the heartbeat.
   *
   * @param client the client to write with
   * @param options the node's options
   * @param port the log server's port
   * @param connected false while the node shall stay silent
   */
  NodeHeartbeat(
      KubernetesClient client, LocalNodeOptions options, int port, BooleanSupplier connected) {
    this.client = client;
    this.options = options;
    this.port = port;
    this.connected = connected;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "heartbeat of " + options.name());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Registers the Node, or takes over the one of that name, and begins to beat.
   *
   * @throws KubernetesClientException if the Node cannot be written
   */
  void start() {
    Node node = NodeObject.of(options, port, readySince, Instant.now());
    try {
      client.resource(node).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 409) {
        throw e;
      }
      Map<String, Object> metadata = Map.of("labels", node.getMetadata().getLabels());
      client
          .nodes()
          .withName(options.name())
          .patch(PatchContext.of(PatchType.JSON_MERGE), json(Map.of("metadata", metadata)));
    }
    writeStatus();
    long period = options.heartbeat().toMillis();
    timer.scheduleAtFixedRate(this::beat, 0, period, TimeUnit.MILLISECONDS);
  }

  /** Beats now, out of turn. */
  void beatNow() {
    timer.execute(this::beat);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private void beat() {
    if (!connected.getAsBoolean()) {
      return;
    }
    try {
      renewLease();
      boolean due = Duration.between(statusWritten, Instant.now()).compareTo(STATUS_PERIOD) > 0;
      if (due || !shownAsReady()) {
        writeStatus();
      }
    } catch (RuntimeException e) {
      System.Logger.Level level =
          timer.isShutdown() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
      LOG.log(level, "Heartbeat of " + options.name() + " failed", e);
    }
  }

  private boolean shownAsReady() {
    Node node = client.nodes().withName(options.name()).get();
    boolean ready =
        node != null
            && node.getStatus().getConditions().stream()
                .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
    if (!ready) {
      readySince = Instant.now();
    }
    return ready;
  }

  private void writeStatus() {
    Instant now = Instant.now();
    Node node = NodeObject.of(options, port, readySince, now);
    client
        .nodes()
        .withName(options.name())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE), json(Map.of("status", node.getStatus())));
    statusWritten = now;
  }

  private void renewLease() {
    Resource<Lease> lease = client.leases().inNamespace("kube-node-lease").withName(options.name());
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    Lease stored = lease.get();
    if (stored != null) {
      Map<String, Object> spec =
          Map.of("renewTime", MICRO_TIME.format(now), "holderIdentity", options.name());
      lease.patch(PatchContext.of(PatchType.JSON_MERGE), json(Map.of("spec", spec)));
      return;
    }
    Node node = client.nodes().withName(options.name()).get();
    client
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("kube-node-lease")
                .withName(options.name())
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(options.name())
                .withUid(node.getMetadata().getUid())
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(options.name())
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(now)
                .endSpec()
                .build())
        .create();
  }

  private String json(Object value) {
    return client.getKubernetesSerialization().asJson(value);
  }
}
