package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.ReportAvailability;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.quarkus.arc.Unremovable;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Has the replicas of the operator elect the one that works on jobs, with a Lease. */
@Singleton
public class LeaderElection {

  /** The Lease's name. */
  static final String LEASE = "pytorchtrainingjob-operator";

  /**
   * A killed leader is replaced after this and one look more: within 20 seconds. A leader that
   * cannot renew gives up before: clocks may differ by what lies between.
   */
  private static final Duration LEASE_DURATION = Duration.ofSeconds(12);

  private static final Duration RENEW_DEADLINE = Duration.ofSeconds(8);

  /**
   * Between two looks at the Lease; of those that wait up to 2.2 times as long. It decides how soon
   * a Lease that was given back is taken: within three seconds.
   */
  private static final Duration RETRY_PERIOD = Duration.ofMillis(750);

  private static final int LOST = 1;

  /**
   * Of this process. Not static: in a native binary that would be made when the binary is, and all
   * replicas would believe that they hold the Lease.
   */
  private final String identity =
      identity(
          Optional.ofNullable(System.getenv("HOSTNAME")),
          Optional.ofNullable(System.getenv("POD_IP")));

  /** Between two looks of a replica that waits at when the Lease was renewed. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  /** What was reported last before the end of a leader may not be in the status. */
  private static final Duration UNWRITTEN = Duration.ofSeconds(10);

  private volatile @Nullable Instant lastRenewal;
  private volatile Instant heardSince = Instant.MAX;

  private static final Logger LOG = Logger.getLogger(LeaderElection.class);

  /**
   * The election, for the framework.
   *
   * @param configuration properties and environment variables
   * @param client the cluster
   * @param leadership is told when this process is elected
   * @return null when there is none, and this process works on jobs in any case
   */
  @Produces
  @Dependent
  @Unremovable
  @SuppressWarnings("deprecation")
  public @Nullable LeaderElectionConfiguration election(
      OperatorConfiguration configuration, KubernetesClient client, Leadership leadership) {
    if (!isEnabled(configuration)) {
      return null;
    }
    String namespace = namespace(configuration, client);
    // Not by the builder, which refuses the last argument. With true the framework calls
    // System.exit in
    // the middle of an orderly shutdown, which then waits for itself, with the Lease in its hands.
    return new LeaderElectionConfiguration(
        LEASE,
        namespace,
        LEASE_DURATION,
        RENEW_DEADLINE,
        RETRY_PERIOD,
        identity,
        new LeaderCallbacks(
            () -> {
              LOG.infof("this replica works on jobs from now on: it holds the Lease");
              leadership.begin(gap(Instant.now()));
            },
            () -> stopped(leadership, namespace),
            leader -> {
              if (leader != null && !leader.isEmpty() && !leader.equals(identity)) {
                leadership.follows(addressOf(leader));
              }
              told(leader, identity, namespace);
            }),
        false);
  }

  private static String namespace(OperatorConfiguration configuration, KubernetesClient client) {
    return OwnNamespace.find(configuration.namespace())
        .orElseGet(() -> Objects.requireNonNullElse(client.getNamespace(), "default"));
  }

  /**
   * Remembers, from now on until this process works on jobs, when somebody last held the Lease: the
   * elector writes its own time over it. While the API server is away that time stands still.
   *
   * @param availability is looked at for as long as the process lives
   */
  void watch(
      OperatorConfiguration configuration,
      KubernetesClient client,
      Leadership leadership,
      ReportAvailability availability) {
    boolean enabled = isEnabled(configuration);
    new HeardReports(client, namespace(configuration, client), LEASE, identity)
        .start(availability, () -> enabled && leadership.leads());
    if (!enabled) {
      return;
    }
    look(configuration, client);
    ScheduledExecutorService looking =
        Executors.newSingleThreadScheduledExecutor(new DaemonThreads("lease"));
    looking.scheduleWithFixedDelay(
        () -> {
          if (leadership.leads() || leadership.hasEnded()) {
            looking.shutdown();
          } else {
            look(configuration, client);
          }
        },
        BETWEEN_LOOKS.toMillis(),
        BETWEEN_LOOKS.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private void look(OperatorConfiguration configuration, KubernetesClient client) {
    try {
      Lease lease =
          client.leases().inNamespace(namespace(configuration, client)).withName(LEASE).get();
      if (lease != null
          && lease.getSpec() != null
          && lease.getSpec().getRenewTime() != null
          && !identity.equals(lease.getSpec().getHolderIdentity())) {
        lastRenewal = lease.getSpec().getRenewTime().toInstant();
        heardSince = HeardReports.since(lease);
      }
    } catch (RuntimeException away) {
      LOG.debugf("the Lease cannot be read: %s", away.getMessage());
    }
  }

  /** From when the Lease was renewed last; without a Lease nobody says what was heard before. */
  private ReportGap gap(Instant now) {
    Instant last = lastRenewal;
    return last == null
        ? gapWithoutElection()
        : new ReportGap(last.minus(UNWRITTEN), now, heardSince);
  }

  /** Without an election nobody says how long there was no operator, nor what was heard before. */
  static ReportGap gapWithoutElection() {
    return new ReportGap(Instant.MIN, Instant.now());
  }

  /** Gives the Lease back if the framework's elector, which has ended, has not. */
  void giveBack(OperatorConfiguration configuration, KubernetesClient client) {
    if (!isEnabled(configuration)) {
      return;
    }
    Lease lease =
        client.leases().inNamespace(namespace(configuration, client)).withName(LEASE).get();
    if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
      lease.getSpec().setHolderIdentity("");
      client.resource(lease).update();
    }
  }

  /** Whether there is an election: as set, else in a cluster. */
  static boolean isEnabled(OperatorConfiguration configuration) {
    return configuration
        .leaderElection()
        .enabled()
        .orElseGet(() -> OwnNamespace.find(configuration.namespace()).isPresent());
  }

  /**
   * The pod's name, which of its lives (a container that was killed is another candidate), and its
   * address, where it is known: the others pass on to it what only it can answer.
   */
  static String identity(Optional<String> pod, Optional<String> address) {
    return pod.filter(name -> !name.isBlank()).orElse("operator")
        + "_"
        + UUID.randomUUID()
        + address.filter(ip -> !ip.isBlank()).map(ip -> "_" + ip).orElse("");
  }

  /** The address in an identity; null when there is none. */
  static @Nullable String addressOf(String identity) {
    String[] parts = identity.split("_", -1);
    return parts.length == 3 && !parts[2].isEmpty() ? parts[2] : null;
  }

  private static void told(@Nullable String leader, String identity, String namespace) {
    if (leader != null && !leader.isEmpty() && !leader.equals(identity)) {
      LOG.infof(
          "%s holds the Lease %s/%s and works on jobs; this replica waits, and serves the webhooks",
          leader, namespace, LEASE);
    }
  }

  private static void stopped(Leadership leadership, String namespace) {
    if (leadership.hasEnded()) {
      LOG.infof("the Lease %s/%s was given back", namespace, LEASE);
      return;
    }
    LOG.fatalf(
        "the Lease %s/%s was lost: it could not be renewed within %s, or somebody else took it."
            + " This process ends at once, so that no two work on the same jobs; Kubernetes starts"
            + " it again. If it happens often, look at the API server's latency.",
        namespace, LEASE, RENEW_DEADLINE);
    // An orderly shutdown would finish what is in flight, while somebody else leads already.
    Runtime.getRuntime().halt(LOST);
  }
}
