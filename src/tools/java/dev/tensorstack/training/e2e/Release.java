package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The operator, installed from the chart with its defaults; all test classes of a run share one.
 *
 * <p>Nothing but the image is set: what is missing in the defaults shows here.
 */
final class Release implements AutoCloseable {

  /** The release's name. */
  static final String NAME = "pytorchtrainingjob-operator";

  /** The namespace of the release. */
  static final String NAMESPACE = "pytorchtrainingjob-system";

  private static final String CHART = "helm/pytorchtrainingjob-operator";
  private static final List<String> CRDS =
      List.of("pytorchtrainingjobs.batch.tensorstack.dev", "pytorchjobs.kubeflow.org");
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final KubernetesClient client = ClusterClient.open();
  private boolean installed;

  /** A client with an administrator's rights. */
  KubernetesClient client() {
    return client;
  }

  /** Installs the chart unless it is installed, as docs/operations/install.md says. */
  void install() {
    if (installed) {
      return;
    }
    String image = Settings.repository() + ":" + Settings.tag();
    Timing timing = Timing.start();
    Program.kubectlWith(
            """
            apiVersion: v1
            kind: Namespace
            metadata:
              name: %s
              labels:
                pod-security.kubernetes.io/enforce: restricted
            """
                .formatted(NAMESPACE),
            "apply",
            "-f",
            "-")
        .orThrow();
    String notes = helm("install").orThrow();
    installed = true;
    timing.report("helm install --wait, " + image + ", variant " + Settings.variant());
    assertThat(notes).contains("rollout status deployment/" + NAME);
    awaitReady();
  }

  /**
   * Upgrades the release to this chart and waits until it has been rolled out.
   *
   * @param more further arguments
   */
  void upgrade(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "upgrade",
                NAME,
                CHART,
                "--namespace",
                NAMESPACE,
                "--reset-then-reuse-values",
                "--wait",
                "--timeout=4m"));
    arguments.addAll(List.of(more));
    Program.helm(arguments.toArray(String[]::new)).orThrow();
  }

  private static ProgramResult helm(String verb) {
    return Program.helm(
        verb,
        NAME,
        CHART,
        "--namespace",
        NAMESPACE,
        "--set=image.repository=" + Settings.repository(),
        "--set=image.tag=" + Settings.tag(),
        "--set=image.variant=" + Settings.variant(),
        "--wait",
        "--timeout=4m");
  }

  /** Uninstalls the release; the CRDs stay. */
  void uninstall() {
    Program.helm("uninstall", NAME, "--namespace", NAMESPACE, "--wait").orThrow();
    installed = false;
  }

  /**
   * Takes a replica away.
   *
   * @param replicas how many stay
   * @param goes the pod of the one that goes
   */
  void scaleDown(int replicas, Pod goes) {
    Program.kubectl(
            "annotate",
            "pod",
            "-n",
            NAMESPACE,
            goes.getMetadata().getName(),
            "controller.kubernetes.io/pod-deletion-cost=-1")
        .orThrow();
    scale(replicas);
  }

  /**
   * Changes the number of replicas.
   *
   * @param replicas how many there will be
   */
  void scale(int replicas) {
    Program.kubectl("scale", "-n", NAMESPACE, "deployment/" + NAME, "--replicas=" + replicas)
        .orThrow();
  }

  /** Waits until both replicas are ready, one of them leads, and the webhooks are trusted. */
  void awaitReady() {
    await("two ready operators and a leader")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(pods()).hasSize(2).allMatch(Readiness::isPodReady);
              assertThat(leader()).isPresent();
            });
  }

  /** The operator's pods that are not being deleted. */
  List<Pod> pods() {
    return client
        .pods()
        .inNamespace(NAMESPACE)
        .withLabel("app.kubernetes.io/name", NAME)
        .withoutLabel("app.kubernetes.io/component", "test")
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  /** Who leads, a pod's name and a random suffix; empty when nobody does. */
  String holder() {
    Lease lease = client.leases().inNamespace(NAMESPACE).withName(NAME).get();
    return lease == null ? "" : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
  }

  /** The pod that leads, when there is one and it is not being deleted. */
  Optional<Pod> leader() {
    String holder = holder();
    return pods().stream()
        .filter(pod -> holder.startsWith(pod.getMetadata().getName()))
        .findFirst();
  }

  /**
   * Waits until another one leads.
   *
   * @param before who led
   * @return who leads
   */
  String awaitOtherLeader(String before) {
    return await("a leader other than " + before)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(this::holder, holder -> !holder.isEmpty() && !holder.equals(before));
  }

  /** How many nodes pods can be put on that tolerate no taint. */
  int nodes() {
    return (int)
        client.nodes().list().getItems().stream()
            .filter(node -> node.getSpec().getTaints().isEmpty())
            .count();
  }

  /** Takes all of it away, the CRDs and all jobs too. */
  @Override
  public void close() {
    if (installed) {
      uninstall();
    }
    CRDS.forEach(
        crd -> Program.kubectl("delete", "crd", crd, "--ignore-not-found", "--timeout=3m"));
    Program.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--timeout=3m");
    client.close();
  }
}
