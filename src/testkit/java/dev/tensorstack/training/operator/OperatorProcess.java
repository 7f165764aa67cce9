package dev.tensorstack.training.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.controlplane.GuardedProcess;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;

/**
 * The packaged operator, run as users run it: the jar, or the binary that the system property
 * {@code operator.binary} names, with the arguments of {@code operator.binary.options}; the jar
 * with the JVM options of {@code operator.java.options}. It ends with this JVM, however that ends.
 */
public final class OperatorProcess implements AutoCloseable {

  /** Settings for tests of restarts: 2 s before one, at most 6 s, and 200 ms between statuses. */
  public static final Map<String, String> SHORT_DELAYS =
      Map.of(
          "OPERATOR_RESTART_DELAY_BASE", "2s",
          "OPERATOR_RESTART_DELAY_MAX", "6s",
          "OPERATOR_STATUS_MIN_INTERVAL", "200ms");

  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");

  private static final List<Path> CRDS =
      List.of(
          Path.of("src/main/kubernetes/pytorchtrainingjobs.batch.tensorstack.dev-v1.yml"),
          Path.of("src/main/kubernetes/pytorchjobs.kubeflow.org-v1.yml"));

  private static final Path POLICY = Path.of("src/main/kubernetes/validatingadmissionpolicy.yml");

  /** To start fast; not for measurements: TLS is slow without the second compiler's AES-GCM. */
  private static final String TEST_OPTIONS = "-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int ANSWER_LIMIT_MILLIS = 5_000;

  static {
    // Tests wait for conditions; how long these take is the machine's affair.
    Awaitility.setDefaultTimeout(START_LIMIT);
  }

  private final GuardedProcess process;
  private final int managementPort;
  private final int webhookPort;
  private final Path log;

  private OperatorProcess(GuardedProcess process, int managementPort, int webhookPort, Path log) {
    this.process = process;
    this.managementPort = managementPort;
    this.webhookPort = webhookPort;
    this.log = log;
  }

  /**
   * Starts an operator and waits until it is ready.
   *
   * @param kubeconfig the cluster
   * @param environment its settings, as environment variables
   * @return the running operator
   */
  public static OperatorProcess start(Path kubeconfig, Map<String, String> environment) {
    OperatorProcess operator = launch(kubeconfig, environment);
    operator.awaitReady();
    return operator;
  }

  /**
   * Starts an operator without waiting for it.
   *
   * @param kubeconfig the cluster
   * @param environment its settings, as environment variables
   * @return the starting operator
   */
  public static OperatorProcess launch(Path kubeconfig, Map<String, String> environment) {
    return launch(kubeconfig, environment, LoopbackPorts.next(), command());
  }

  /**
   * Starts a certain program as operator without waiting for it.
   *
   * @param kubeconfig the cluster
   * @param environment its settings, as environment variables
   * @param program a binary, or what {@link #jar} says
   * @return the starting operator
   */
  public static OperatorProcess launch(
      Path kubeconfig, Map<String, String> environment, List<String> program) {
    return launch(kubeconfig, environment, LoopbackPorts.next(), program);
  }

  /**
   * The packaged jar as a program.
   *
   * @param javaOptions options of the JVM, with spaces between them
   * @return the command that runs it
   */
  public static List<String> jar(String javaOptions) {
    List<String> command = java(javaOptions);
    command.addAll(List.of("-jar", JAR.toString()));
    return command;
  }

  private static List<String> java(String options) {
    if (!Files.exists(JAR)) {
      throw new IllegalStateException(JAR + " does not exist: run ./mvnw package first");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(words(options));
    return command;
  }

  /**
   * A native binary as a program, with the arguments of {@code operator.binary.options}.
   *
   * @param path the binary
   * @return the command that runs it
   */
  public static List<String> binary(String path) {
    List<String> command = new ArrayList<>(List.of(path));
    command.addAll(words(System.getProperty("operator.binary.options", "")));
    return command;
  }

  /**
   * Starts an operator that registers its webhooks by URL, and waits until it is ready.
   *
   * @param kubeconfig the cluster
   * @param environment its settings, as environment variables
   * @return the running operator
   */
  public static OperatorProcess startWithWebhooks(
      Path kubeconfig, Map<String, String> environment) {
    OperatorProcess operator = launchWithWebhooks(kubeconfig, environment);
    operator.awaitReady();
    return operator;
  }

  /**
   * Starts an operator that registers its webhooks by URL, without waiting for it.
   *
   * @param kubeconfig the cluster
   * @param environment its settings, as environment variables
   * @return the starting operator
   */
  public static OperatorProcess launchWithWebhooks(
      Path kubeconfig, Map<String, String> environment) {
    int webhookPort = LoopbackPorts.next();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("OPERATOR_WEBHOOKS_URL", webhookUrl(webhookPort));
    variables.putAll(environment);
    return launch(kubeconfig, variables, webhookPort, command());
  }

  private static String webhookUrl(int port) {
    return "https://127.0.0.1:" + port;
  }

  private static OperatorProcess launch(
      Path kubeconfig, Map<String, String> environment, int webhookPort, List<String> program) {
    int managementPort = LoopbackPorts.next();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("KUBECONFIG", kubeconfig.toString());
    variables.put("QUARKUS_HTTP_SSL_PORT", Integer.toString(webhookPort));
    variables.put("QUARKUS_MANAGEMENT_PORT", Integer.toString(managementPort));
    variables.put("QUARKUS_HTTP_HOST", "127.0.0.1");
    variables.put("OPERATOR_PROGRESS_PORT", Integer.toString(LoopbackPorts.next()));
    // Tests of what follows a failure need not wait; PlainFailureIT shows the wait.
    variables.put("OPERATOR_PLAIN_FAILURE_GRACE", "0s");
    variables.put("QUARKUS_MANAGEMENT_HOST", "127.0.0.1");
    variables.putAll(environment);
    try {
      Path log = Files.createTempFile("operator-", ".log");
      GuardedProcess process =
          GuardedProcess.start("operator", program, Path.of("."), variables, log, null);
      return new OperatorProcess(process, managementPort, webhookPort, log);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static List<String> command() {
    String binary = System.getProperty("operator.binary", "");
    if (!binary.isEmpty()) {
      return binary(binary);
    }
    String options = System.getProperty("operator.java.options");
    return jar(options == null ? TEST_OPTIONS : options);
  }

  private static List<String> words(String options) {
    return options.isBlank() ? List.of() : List.of(options.trim().split(" +", -1));
  }

  /**
   * Puts the CRDs and the policy with their rules into a cluster and waits until the kinds are
   * served; the API server takes a second more to know the policy.
   *
   * @param client an administrator
   */
  public static void installCrds(KubernetesClient client) {
    CRDS.forEach(file -> installCrd(client, file));
    installPolicy(client);
  }

  /**
   * Puts the policy with the rules of admission into a cluster.
   *
   * @param client an administrator
   */
  public static void installPolicy(KubernetesClient client) {
    try (InputStream file = Files.newInputStream(POLICY)) {
      client
          .load(file)
          .items()
          .forEach(object -> client.resource(object).forceConflicts().serverSideApply());
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + POLICY, unreadable);
    }
  }

  private static void installCrd(KubernetesClient client, Path file) {
    CustomResourceDefinition crd =
        client.apiextensions().v1().customResourceDefinitions().load(file.toFile()).item();
    client.resource(crd).forceConflicts().serverSideApply();
    client
        .resource(crd)
        .waitUntilCondition(
            installed ->
                installed != null
                    && installed.getStatus() != null
                    && installed.getStatus().getConditions() != null
                    && installed.getStatus().getConditions().stream()
                        .anyMatch(
                            condition ->
                                condition.getType().equals("Established")
                                    && condition.getStatus().equals("True")),
            START_LIMIT.toSeconds(),
            java.util.concurrent.TimeUnit.SECONDS);
  }

  /** Waits until the readiness probe answers; fails with the log's end when it does not. */
  public void awaitReady() {
    Awaitility.await("operator ready; log: " + log)
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new IllegalStateException("the operator ended:\n" + process.lastLines(60));
              }
              return get("/q/health/ready").statusCode() == 200;
            });
  }

  /**
   * Asks the management port.
   *
   * @param path for example {@code /q/metrics}
   * @return the answer; status 0 when nothing listens
   */
  public Answer get(String path) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + managementPort + path).toURL().openConnection();
      // No connection is left open: tests count the operator's.
      connection.setRequestProperty("Connection", "close");
      connection.setConnectTimeout(ANSWER_LIMIT_MILLIS);
      connection.setReadTimeout(ANSWER_LIMIT_MILLIS);
      int code = connection.getResponseCode();
      try (InputStream body =
          code < HttpURLConnection.HTTP_BAD_REQUEST
              ? connection.getInputStream()
              : connection.getErrorStream()) {
        return new Answer(code, body == null ? "" : new String(body.readAllBytes(), UTF_8));
      }
    } catch (IOException notListening) {
      return new Answer(0, Objects.toString(notListening.getMessage()));
    }
  }

  /**
   * An HTTP answer.
   *
   * @param statusCode the status, 0 for none
   * @param body the body
   */
  public record Answer(int statusCode, String body) {}

  /**
   * Where it serves the webhooks.
   *
   * @return {@code https://127.0.0.1:<port>}
   */
  public String webhookUrl() {
    return webhookUrl(webhookPort);
  }

  /**
   * Where it serves metrics and health.
   *
   * @return {@code 127.0.0.1:<port>}
   */
  public String managementAddress() {
    return "127.0.0.1:" + managementPort;
  }

  /**
   * Runs the program's own check of this operator's ports, as the chart's test does from a pod.
   *
   * @return its exit code
   */
  public int check() {
    List<String> command = new ArrayList<>(command());
    command.add("check");
    command.add(webhookUrl().replace("https", "tcp"));
    command.add("http://127.0.0.1:" + managementPort + "/q/health/ready");
    try {
      GuardedProcess check =
          GuardedProcess.start("check", command, Path.of("."), Map.of(), log, null);
      return check.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /**
   * Where the operator logs.
   *
   * @return a text file
   */
  public Path log() {
    return log;
  }

  /**
   * The operator's process.
   *
   * @return its id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Whether it runs.
   *
   * @return false once it has ended
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Waits until it has ended by itself.
   *
   * @return its exit code
   */
  public int awaitEnd() {
    Awaitility.await("the operator ends; log: " + log).until(() -> !process.isAlive());
    try {
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** Kills it with SIGKILL. */
  public void kill() {
    process.kill();
  }

  /** Stops it with SIGTERM and waits until it has ended. */
  @Override
  public void close() {
    process.stop();
  }
}
