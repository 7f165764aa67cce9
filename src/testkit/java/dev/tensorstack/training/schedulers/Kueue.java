package dev.tensorstack.training.schedulers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A running Kueue, with its CRDs and webhooks, beside a control plane. All of it listens on
 * 127.0.0.1 only: where the manifests name a Service, the control plane's objects name an address.
 *
 * <p>It works as {@code system:serviceaccount:kueue-system:kueue-controller-manager}; its log is
 * {@code kueue.log} in the folder of the control plane. After {@link #close()} its objects are
 * still there, and it may be started again.
 */
public final class Kueue implements AutoCloseable {
  static final String NAMESPACE = "kueue-system";
  static final String SERVICE = "kueue-webhook-service";
  static final String SECRET = "kueue-webhook-server-cert";

  /** The folder with the certificates, below the one in which Kueue runs. */
  static final String CERTIFICATES = "certificates";

  private static final String ACCOUNT = "kueue-controller-manager";

  /** The name that Kueue gives its authority. */
  private static final String AUTHORITY = "kueue-ca";

  /** Those that its certificate rotator waits for. */
  private static final Set<String> CONVERTED =
      Set.of("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads");

  /** Kind in the manifests, and the name that Kueue looks for. */
  private enum Webhooks {
    MUTATING("MutatingWebhookConfiguration", "kueue-mutating-webhook-configuration"),
    VALIDATING("ValidatingWebhookConfiguration", "kueue-validating-webhook-configuration");

    private final String kind;
    private final String object;

    Webhooks(String kind, String object) {
      this.kind = kind;
      this.object = object;
    }
  }

  private final ControlPlane plane;
  private final SchedulerProcess process;
  private final KueueQueues queues;
  private boolean closed;

  private Kueue(ControlPlane plane, SchedulerProcess process) {
    this.plane = plane;
    this.process = process;
    this.queues = new KueueQueues(plane);
  }

  /** How to start one that is not as by default. */
  public static KueueBuilder builder() {
    return new KueueBuilder();
  }

  /**
   * Starts one that manages Jobs, with the defaults of {@link KueueBuilder}.
   *
   * @param plane where
   * @throws IllegalStateException when it does not get ready; carries the end of its log
   */
  public static Kueue start(ControlPlane plane) {
    return builder().start(plane);
  }

  /** Starts one. */
  static Kueue start(ControlPlane plane, KueueBuilder settings) {
    ControlPlaneBinaries binaries = ControlPlaneBinaries.provide(EnumSet.of(Tool.KUEUE));
    Manifests manifests = Manifests.read(binaries.manifests(Tool.KUEUE));
    int webhookPort = LoopbackPorts.next();
    int healthPort = LoopbackPorts.next();
    String webhookUrl = "https://127.0.0.1:" + webhookPort;
    String healthUrl = "http://127.0.0.1:" + healthPort;
    WebhookCertificates certificates =
        WebhookCertificates.create(AUTHORITY, SERVICE + "." + NAMESPACE + ".svc");

    Path kubeconfig = SchedulerAccount.provide(plane, NAMESPACE, ACCOUNT);
    Manifests.apply(plane, secret(certificates));
    for (Webhooks webhooks : Webhooks.values()) {
      Manifests.apply(
          plane,
          "{apiVersion: admissionregistration.k8s.io/v1, kind: %s, metadata: {name: %s}}"
              .formatted(webhooks.kind, webhooks.object));
      fill(plane, webhooks, JsonNodeFactory.instance.arrayNode());
    }
    List<ObjectNode> crds = manifests.crds();
    for (ObjectNode crd : crds) {
      if (CONVERTED.contains(crd.path("spec").path("names").path("plural").asText())) {
        convert(crd, webhookUrl, certificates.authority());
      }
    }
    Manifests.install(plane, crds);

    Path folder = folder(plane, settings.configuration(webhookPort, healthPort), certificates);
    SchedulerProcess process =
        SchedulerProcess.start(
            plane,
            Tool.KUEUE.program(),
            List.of(binaries.binary(Tool.KUEUE).toString(), "--config=kueue.yaml"),
            folder,
            kubeconfig);
    Kueue kueue = new Kueue(plane, process);
    try {
      process.awaitOk(healthUrl + "/readyz");
      for (Webhooks webhooks : Webhooks.values()) {
        ArrayNode filled = JsonNodeFactory.instance.arrayNode();
        for (JsonNode webhook : manifests.ofKind(webhooks.kind).get(0).path("webhooks")) {
          if (concerns(webhook, settings.frameworks())) {
            filled.add(at(webhook, webhookUrl, certificates.authority()));
          }
        }
        fill(plane, webhooks, filled);
      }
      process.await("asked by the API server", () -> mutates(plane) && validates(plane));
    } catch (RuntimeException problem) {
      try {
        kueue.close();
      } catch (RuntimeException another) {
        problem.addSuppressed(another);
      }
      throw problem;
    }
    return kueue;
  }

  private static String secret(WebhookCertificates certificates) {
    ObjectNode secret =
        Manifests.parse(
            "{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: %s}}"
                .formatted(SECRET, NAMESPACE));
    secret
        .putObject("data")
        .put("ca.crt", base64(certificates.authority()))
        .put("ca.key", base64(certificates.authorityKey()))
        .put("tls.crt", base64(certificates.server()))
        .put("tls.key", base64(certificates.serverKey()));
    return secret.toString();
  }

  private static Path folder(
      ControlPlane plane, String configuration, WebhookCertificates certificates) {
    try {
      Path folder = plane.directory().resolve(Tool.KUEUE.program());
      Path inner = Files.createDirectories(folder.resolve(CERTIFICATES));
      Files.writeString(inner.resolve("tls.crt"), certificates.server());
      Files.writeString(inner.resolve("tls.key"), certificates.serverKey());
      Files.writeString(folder.resolve("kueue.yaml"), configuration);
      return folder;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static void convert(ObjectNode crd, String url, String authority) {
    ObjectNode conversion = ((ObjectNode) crd.path("spec")).putObject("conversion");
    conversion.put("strategy", "Webhook");
    ObjectNode webhook = conversion.putObject("webhook");
    webhook.putArray("conversionReviewVersions").add("v1");
    webhook
        .putObject("clientConfig")
        .put("url", url + "/convert")
        .put("caBundle", base64(authority));
  }

  /** The webhook of the manifests, with an address instead of a Service. */
  private static ObjectNode at(JsonNode webhook, String url, String authority) {
    ObjectNode copy = webhook.deepCopy();
    String path = copy.path("clientConfig").path("service").path("path").asText();
    copy.putObject("clientConfig").put("url", url + path).put("caBundle", base64(authority));
    if (!isForKueue(webhook)) {
      copy.set(
          "namespaceSelector",
          Manifests.parse(
              "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, %s]}]}"
                  .formatted(NAMESPACE)));
    }
    return copy;
  }

  /** Whether it is about objects of Kueue's, or of a kind of job that it manages. */
  private static boolean concerns(JsonNode webhook, List<String> frameworks) {
    if (isForKueue(webhook)) {
      return true;
    }
    for (JsonNode rule : webhook.path("rules")) {
      for (String framework : frameworks) {
        int slash = framework.indexOf('/');
        boolean sameGroup = slash < 0 || names(rule, "apiGroups", framework.substring(0, slash));
        if (sameGroup && names(rule, "resources", framework.substring(slash + 1) + "s")) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isForKueue(JsonNode webhook) {
    return names(webhook.path("rules").path(0), "apiGroups", "kueue.x-k8s.io");
  }

  private static boolean names(JsonNode rule, String field, String value) {
    for (JsonNode one : rule.path(field)) {
      if (one.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static void fill(ControlPlane plane, Webhooks configuration, ArrayNode webhooks) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("webhooks", webhooks);
    plane
        .kubectlWithInput(
            patch.toString(),
            "patch",
            configuration.kind,
            configuration.object,
            "--type=merge",
            "--patch-file=/dev/stdin")
        .orThrow();
  }

  /** Kueue gives each flavor a finalizer. */
  private static boolean mutates(ControlPlane plane) {
    return tryFlavor(plane, "fine").stdout().contains("kueue.x-k8s.io/resource-in-use");
  }

  /** Only Kueue knows that a node's label cannot have such a value. */
  private static boolean validates(ControlPlane plane) {
    KubectlResult result = tryFlavor(plane, "-not-fine-");
    return result.exitCode() != 0 && result.stderr().contains("spec.nodeLabels");
  }

  private static KubectlResult tryFlavor(ControlPlane plane, String label) {
    return plane.kubectlWithInput(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ResourceFlavor
        metadata: {name: webhooks-work}
        spec: {nodeLabels: {is: "%s"}}
        """
            .formatted(label),
        "create",
        "--dry-run=server",
        "-o",
        "yaml",
        "-f",
        "-");
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  /** Makes queues and reads what they hold. */
  public KueueQueues queues() {
    return queues;
  }

  /** Whether it runs. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /**
   * Takes the webhooks away, so that what they are about can still be written, and stops Kueue.
   * Does nothing the second time.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      for (Webhooks webhooks : Webhooks.values()) {
        fill(plane, webhooks, JsonNodeFactory.instance.arrayNode());
      }
      if (process.isAlive()) {
        process.await(
            "no more asked by the API server", () -> !mutates(plane) && !validates(plane));
      }
    } finally {
      process.stop();
    }
  }
}
