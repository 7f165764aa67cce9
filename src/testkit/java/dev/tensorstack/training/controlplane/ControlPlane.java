package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A running Kubernetes control plane: etcd, kube-apiserver and, unless told otherwise,
 * kube-controller-manager and kube-scheduler, all of them listening on 127.0.0.1 only.
 *
 * <p>There are no nodes: pods stay pending until something plays the kubelet. Everything is gone
 * after {@link #close()}, and also after the JVM was killed. Safe for use by several threads.
 */
public final class ControlPlane implements AutoCloseable {
  private static final String ADMIN_KUBECONFIG = "admin.kubeconfig";

  /** Milliseconds of a request of the administrator: a machine may be busy with tests. */
  private static final int PATIENCE_MILLIS = 30_000;

  private static final String AUDIT_LOG = "audit.log";
  private static final Duration KUBECTL_LIMIT = Duration.ofMinutes(2);
  private static final Duration NAMESPACE_LIMIT = Duration.ofSeconds(30);

  private final ControlPlaneBinaries binaries;
  private final Path directory;
  private final boolean removesDirectory;
  private final Config config;
  private final Deque<GuardedProcess> processes;
  private final AtomicInteger counter = new AtomicInteger();
  private @Nullable KubernetesClient client;
  private boolean closed;

  ControlPlane(
      ControlPlaneBinaries binaries,
      Path directory,
      boolean removesDirectory,
      Deque<GuardedProcess> processes) {
    this.binaries = binaries;
    this.directory = directory;
    this.removesDirectory = removesDirectory;
    this.processes = new ArrayDeque<>(processes);
    this.config = readConfig(directory.resolve(ADMIN_KUBECONFIG));
  }

  /** How to start one. */
  public static ControlPlaneBuilder builder() {
    return new ControlPlaneBuilder();
  }

  /**
   * Starts one with the defaults of {@link ControlPlaneBuilder}.
   *
   * @throws ControlPlaneException when it does not get ready; carries the log of what failed
   */
  public static ControlPlane start() {
    return builder().start();
  }

  /**
   * Uses a control plane that somebody else started and that runs.
   *
   * @param directory what its {@link #directory()} says
   * @return a view whose {@link #close()} leaves the control plane running
   */
  public static ControlPlane attach(Path directory) {
    return new ControlPlane(ControlPlaneBinaries.provide(), directory, false, new ArrayDeque<>());
  }

  private static Config readConfig(Path kubeconfig) {
    try {
      return Config.fromKubeconfig(Files.readString(kubeconfig));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The folder with the logs ({@code <program>.log}), the kubeconfig files and the data. */
  public Path directory() {
    return directory;
  }

  /** A kubeconfig file of an administrator (group {@code system:masters}). */
  public Path kubeconfig() {
    return directory.resolve(ADMIN_KUBECONFIG);
  }

  /** The same as {@link #kubeconfig()}, as the configuration of a client. */
  public Config clientConfig() {
    return config;
  }

  /** The address of the API server: {@code https://127.0.0.1:<port>}. */
  public String url() {
    String url = config.getMasterUrl();
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  /**
   * A client of an administrator, the same at every call; it is closed together with the control
   * plane.
   *
   * @throws IllegalStateException after {@link #close()}
   */
  public synchronized KubernetesClient client() {
    if (closed) {
      throw new IllegalStateException("the control plane is closed");
    }
    if (client == null) {
      client =
          new KubernetesClientBuilder()
              .withConfig(new ConfigBuilder(config).withRequestTimeout(PATIENCE_MILLIS).build())
              .build();
    }
    return client;
  }

  /** The kubectl of the same version. */
  public Path kubectlBinary() {
    return binaries.binary(Tool.KUBECTL);
  }

  /** The folders with all the programs, for a PATH: absolute, with a colon between. */
  public String binaryPath() {
    return binaries.path();
  }

  /**
   * The audit log: one JSON object of type {@code audit.k8s.io/v1 Event} per line and finished
   * request, written before the client gets its answer.
   *
   * @throws IllegalStateException unless {@link ControlPlaneBuilder#auditLog(boolean)} was on
   */
  public Path auditLog() {
    Path log = directory.resolve(AUDIT_LOG);
    if (!Files.exists(log)) {
      throw new IllegalStateException("the audit log is not switched on");
    }
    return log;
  }

  /**
   * Waits until a CRD is served. ({@code kubectl wait} fails on one that has no conditions yet.)
   *
   * @param name the CRD's name
   * @throws org.awaitility.core.ConditionTimeoutException when it is not, after a minute
   */
  public void awaitCrd(String name) {
    Awaitility.await("CRD " + name)
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                kubectl(
                        "get",
                        "crd",
                        name,
                        "-o",
                        "jsonpath={.status.conditions[?(@.type=='Established')].status}")
                    .stdout()
                    .equals("True"));
  }

  /** Runs kubectl as administrator, without input; see {@link #kubectlWithInput}. */
  public KubectlResult kubectl(String... arguments) {
    return kubectlWithInput("", arguments);
  }

  /**
   * Runs kubectl as administrator.
   *
   * @param input its standard input, for {@code -f -}
   * @param arguments without the word kubectl
   * @return its exit code and output, whatever the exit code is
   * @throws ControlPlaneException when it does not end within two minutes, or when interrupted
   */
  public KubectlResult kubectlWithInput(String input, String... arguments) {
    return kubectlWith(Map.of(), input, arguments);
  }

  /**
   * Runs kubectl as administrator with more environment variables, for example {@code KUBE_EDITOR}.
   *
   * @param environment more variables
   * @param input its standard input
   * @param arguments without the word kubectl
   * @return its exit code and output, whatever the exit code is
   * @throws ControlPlaneException when it does not end within two minutes, or when interrupted
   */
  public KubectlResult kubectlWith(
      Map<String, String> environment, String input, String... arguments) {
    List<String> command = new ArrayList<>(List.of(kubectlBinary().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("KUBECONFIG", kubeconfig().toString());
    builder.environment().put("KUBECACHEDIR", directory.resolve("kubectl-cache").toString());
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      try {
        CompletableFuture<String> stdout = read(process.getInputStream());
        CompletableFuture<String> stderr = read(process.getErrorStream());
        try (var stdin = process.getOutputStream()) {
          stdin.write(input.getBytes(UTF_8));
        } catch (IOException e) {
          // it ended without reading its input; its exit code tells the rest
        }
        if (!process.waitFor(KUBECTL_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
          throw new ControlPlaneException(
              "no end within " + KUBECTL_LIMIT.toSeconds() + " s: kubectl " + List.of(arguments));
        }
        return new KubectlResult(process.exitValue(), stdout.join(), stderr.join());
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ControlPlaneException("interrupted in kubectl", e);
    }
  }

  private static CompletableFuture<String> read(InputStream stream) {
    CompletableFuture<String> text = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try (stream) {
                text.complete(new String(stream.readAllBytes(), UTF_8));
              } catch (IOException e) {
                text.complete("");
              }
            },
            "kubectl-output");
    reader.setDaemon(true);
    reader.start();
    return text;
  }

  /**
   * Creates a namespace with a name that was not used before, and waits until pods can be created
   * in it (with a controller manager that means: until its default service account exists).
   *
   * @param prefix what the name begins with
   * @return the name
   * @throws ControlPlaneException when it does not get ready within 30 seconds
   */
  public String createNamespace(String prefix) {
    String name = prefix + "-" + Long.toString(System.nanoTime(), 36) + counter.incrementAndGet();
    KubernetesClient kubernetes = client();
    kubernetes
        .namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    if (!Files.exists(directory.resolve(Tool.KUBE_CONTROLLER_MANAGER.program() + ".log"))) {
      return name;
    }
    try {
      kubernetes
          .serviceAccounts()
          .inNamespace(name)
          .withName("default")
          .waitUntilCondition(
              account -> account != null, NAMESPACE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RuntimeException e) {
      throw new ControlPlaneException("no default service account in namespace " + name, e);
    }
    return name;
  }

  /**
   * Makes a kubeconfig file with which a service account works, with a token that is valid for a
   * day. The service account has to exist; it has the rights that RBAC objects give it, thus none
   * at first.
   *
   * @return the file, in {@link #directory()}
   */
  public Path serviceAccountKubeconfig(String namespace, String serviceAccount) {
    KubernetesClient kubernetes = client();
    String answer =
        kubernetes.raw(
            "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + serviceAccount + "/token",
            "POST",
            new TokenRequestBuilder()
                .withNewMetadata()
                .endMetadata()
                .withNewSpec()
                .withExpirationSeconds(TimeUnit.DAYS.toSeconds(1))
                .endSpec()
                .build());
    if (answer == null) {
      throw new ControlPlaneException(
          "there is no service account " + serviceAccount + " in namespace " + namespace);
    }
    TokenRequest token =
        kubernetes.getKubernetesSerialization().unmarshal(answer, TokenRequest.class);
    Path file = directory.resolve(namespace + "." + serviceAccount + ".kubeconfig");
    try {
      Credentials.writePrivate(
          file,
          Credentials.kubeconfig(url(), certificateAuthority(), token.getStatus().getToken()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file;
  }

  /** The certificates, as PEM, with which clients verify the API server. */
  public String certificateAuthority() {
    try {
      return Files.readString(directory.resolve(ControlPlaneBuilder.SERVING_CERTIFICATE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file with the certificate for 127.0.0.1 with which the programs serve, as PEM. */
  public Path servingCertificate() {
    return directory.resolve(ControlPlaneBuilder.SERVING_CERTIFICATE);
  }

  /** The file with the private key of {@link #servingCertificate()}, as PEM. */
  public Path servingKey() {
    return directory.resolve(ControlPlaneBuilder.SERVING_KEY);
  }

  /**
   * Stops everything, the last started first, and removes the data unless the folder was given.
   * Does nothing the second time.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (client != null) {
      client.close();
    }
    stop(processes);
    if (removesDirectory) {
      delete(directory);
    }
  }

  /** Stops processes, the last one first. */
  static void stop(Deque<GuardedProcess> processes) {
    while (!processes.isEmpty()) {
      processes.removeLast().stop();
    }
  }

  /** Removes a folder as far as possible. */
  static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // the guard of etcd removes it as well: what one does not find, the other has removed
    }
  }

  /**
   * Starts a control plane by hand, and keeps it until its standard input closes or Ctrl-C is
   * pressed.
   *
   * @param arguments optionally {@code --directory=<folder>} to keep its data there, {@code
   *     --pod-groups} for native PodGroups and {@code --audit-log}
   */
  public static void main(String[] arguments) throws IOException {
    ControlPlaneBuilder builder = builder();
    for (String argument : arguments) {
      if (argument.startsWith("--directory=")) {
        builder.directory(Path.of(argument.substring("--directory=".length())));
      } else if (argument.equals("--pod-groups")) {
        builder.podGroups(true);
      } else if (argument.equals("--audit-log")) {
        builder.auditLog(true);
      } else {
        System.err.println("arguments: [--directory=FOLDER] [--pod-groups] [--audit-log]");
        System.exit(2);
      }
    }
    ControlPlane controlPlane = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(controlPlane::close));
    System.out.println("export KUBECONFIG=" + controlPlane.kubeconfig());
    System.out.println("export PATH=" + controlPlane.binaryPath() + ":$PATH");
    System.out.flush();
    System.err.println(
        "[control plane] " + controlPlane.url() + " until the input closes (Ctrl-D) or Ctrl-C");
    long unused = System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }
}
