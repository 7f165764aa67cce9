package dev.tensorstack.training.schedulers;

import dev.tensorstack.training.controlplane.ControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Says what Kueue shall be like, and starts it. Not for use by several threads. */
public final class KueueBuilder {
  private final Map<String, Boolean> featureGates = new TreeMap<>();
  private List<String> frameworks = List.of("batch/job");
  private @Nullable Duration podsReadyTimeout;

  KueueBuilder() {
    // It would listen on all addresses.
    featureGates.put("VisibilityOnDemand", false);
  }

  /** Switches a feature gate; the default is Kueue's own for all others. */
  public KueueBuilder featureGate(String name, boolean on) {
    featureGates.put(name, on);
    return this;
  }

  /**
   * The kinds of jobs that Kueue manages itself; default {@code batch/job}.
   *
   * @param names as in its configuration, for example {@code kubeflow.org/pytorchjob}; the CRDs
   *     that they need have to be served before Kueue starts
   */
  public KueueBuilder frameworks(String... names) {
    frameworks = List.of(names);
    return this;
  }

  /**
   * How long pods of an admitted workload may take to get ready, before it is evicted and, after a
   * second, queued again; default: for ever, Kueue does not look.
   */
  public KueueBuilder waitForPodsReady(Duration timeout) {
    podsReadyTimeout = timeout;
    return this;
  }

  /**
   * Starts it and waits until it is ready and its webhooks work. Provides the program first, which
   * takes minutes on a new machine.
   *
   * @param plane where; Kueue may have run there before, but does not run now
   * @return what is to be closed before the control plane is
   * @throws IllegalStateException when it does not get ready; carries the end of its log
   */
  public Kueue start(ControlPlane plane) {
    return Kueue.start(plane, this);
  }

  /** The names of the frameworks. */
  List<String> frameworks() {
    return frameworks;
  }

  /**
   * The configuration file.
   *
   * @param webhookPort where the webhooks are served
   * @param healthPort where it says that it is ready
   * @return YAML
   */
  String configuration(int webhookPort, int healthPort) {
    Map<String, Boolean> gates = new TreeMap<>(featureGates);
    gates.putIfAbsent("DisableWaitForPodsReady", podsReadyTimeout == null);
    return """
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    namespace: %s
    health: {healthProbeBindAddress: "127.0.0.1:%d"}
    metrics: {bindAddress: "0"}
    webhook: {host: 127.0.0.1, port: %d, certDir: %s}
    leaderElection: {leaderElect: false}
    internalCertManagement:
      enable: true
      webhookServiceName: %s
      webhookSecretName: %s
    clientConnection: {qps: 200, burst: 300}
    managedJobsNamespaceSelector:
      matchExpressions:
      - {key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, %s]}
    integrations: {frameworks: %s}
    featureGates: %s
    """
            .formatted(
                Kueue.NAMESPACE,
                healthPort,
                webhookPort,
                Kueue.CERTIFICATES,
                Kueue.SERVICE,
                Kueue.SECRET,
                Kueue.NAMESPACE,
                frameworks,
                gates.toString().replace("=", ": "))
        + (podsReadyTimeout == null
            ? ""
            : "waitForPodsReady: {timeout: %dms, requeuingStrategy: {backoffBaseSeconds: 1}}\n"
                .formatted(podsReadyTimeout.toMillis()));
  }
}
