package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.GuardedProcess;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Kubeflow's Training Operator as a process on the benchmark's control plane, where the system
 * property {@code training.operator} names its program. It works on PyTorchJobs alone, with the CRD
 * of this project, which has all fields that it writes.
 *
 * <p>Its webhook is not called: its certificate is for the name of a Service in a cluster.
 *
 * @param namespace where it works
 * @param user its name in the audit log
 * @param process the process
 * @param usage what the process uses
 * @param log where it logs
 */
record TrainingOperator(
    String namespace, String user, GuardedProcess process, ProcessUsage usage, Path log)
    implements RunningProgram {

  /** Its name in tables; the version that the documentation says how to get. */
  static final String TITLE = "Training Operator 1.9.4";

  /** As many requests and jobs at once as it likes. */
  static final List<String> WITHOUT_LIMITS =
      List.of("--kube-api-qps=100000", "--kube-api-burst=100000", "--controller-threads=16");

  private static final String PROGRAM = "training.operator";
  private static final String HOME = "kubeflow";
  private static final String CERTIFICATE = "training-operator-webhook-cert";
  private static final String WEBHOOK = "validator.training-operator.kubeflow.org";
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final int OK = 200;

  /** The only place where it looks for the certificate that it has made. */
  private static final Path MOUNT = Path.of("/tmp/k8s-webhook-server/serving-certs");

  /**
   * The program that was named.
   *
   * @return empty when none was
   * @throws IllegalArgumentException when it is no program
   */
  static Optional<Path> program() {
    String path = System.getProperty(PROGRAM, "");
    if (path.isEmpty()) {
      return Optional.empty();
    }
    if (!Files.isExecutable(Path.of(path))) {
      throw new IllegalArgumentException(
          "-D" + PROGRAM + " must name the Training Operator's program, not '" + path + "'");
    }
    return Optional.of(Path.of(path).toAbsolutePath());
  }

  /**
   * Starts it and waits until it is ready.
   *
   * @param account with which it works
   * @param namespace where jobs are submitted
   * @param arguments beside those without which it does not start here
   */
  static TrainingOperator start(
      Path program,
      ControlPlane controlPlane,
      BenchmarkAccount account,
      String namespace,
      List<String> arguments) {
    prepare(controlPlane.client());
    int health = LoopbackPorts.next();
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    // Of the other kinds it would wait for the CRDs.
    command.add("--enable-scheme=pytorchjob");
    command.add("--metrics-bind-address=127.0.0.1:" + LoopbackPorts.next());
    command.add("--health-probe-bind-address=127.0.0.1:" + health);
    command.add("--webhook-server-port=" + LoopbackPorts.next());
    command.addAll(arguments);
    try {
      Path log = Files.createTempFile("training-operator-", ".log");
      GuardedProcess process =
          GuardedProcess.start(
              "training-operator",
              command,
              Path.of("."),
              Map.of("KUBECONFIG", account.kubeconfig().toString()),
              log,
              null);
      try {
        org.awaitility.Awaitility.await("the Training Operator is ready; log: " + log)
            .atMost(START_LIMIT)
            .pollInterval(Duration.ofMillis(200))
            .until(
                () -> {
                  if (!process.isAlive()) {
                    throw new IllegalStateException("it ended:\n" + process.lastLines(20));
                  }
                  mount(controlPlane.client());
                  return isReady(health);
                });
      } catch (RuntimeException problem) {
        process.stop();
        throw problem;
      }
      return new TrainingOperator(
          namespace, account.user(), process, new ProcessUsage(process.pid()), log);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** What its installation brings along: it fills the Secret, and nobody is asked to call it. */
  private static void prepare(KubernetesClient client) {
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(HOME).endMetadata().build())
        .serverSideApply();
    if (secret(client) == null) {
      client
          .resource(
              new SecretBuilder()
                  .withNewMetadata()
                  .withNamespace(HOME)
                  .withName(CERTIFICATE)
                  .endMetadata()
                  .build())
          .create();
    }
    client
        .resource(
            new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(WEBHOOK)
                .endMetadata()
                .build())
        .serverSideApply();
  }

  private static Secret secret(KubernetesClient client) {
    return client.secrets().inNamespace(HOME).withName(CERTIFICATE).get();
  }

  /** Puts the Secret's content where a kubelet would mount it. */
  private static void mount(KubernetesClient client) throws IOException {
    Map<String, String> data = secret(client).getData();
    if (data == null || !data.containsKey("tls.crt")) {
      return;
    }
    Files.createDirectories(MOUNT);
    for (Map.Entry<String, String> file : data.entrySet()) {
      byte[] content = Base64.getDecoder().decode(file.getValue());
      Path path = MOUNT.resolve(file.getKey());
      if (!Files.exists(path) || !java.util.Arrays.equals(content, Files.readAllBytes(path))) {
        Files.write(path, content);
      }
    }
  }

  private static void unmount() {
    try (Stream<Path> files = Files.list(MOUNT)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static boolean isReady(int port) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/readyz").toURL().openConnection();
      return connection.getResponseCode() == OK;
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public String client() {
    return TITLE;
  }

  @Override
  public void close() {
    process.stop();
    unmount();
  }
}
