package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long the operator takes to create the pods of one job, compared with a bare client that makes
 * the same creations with the same parallelism on the same API server.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark}. Both are measured by the API server's audit log, and
 * take turns. Exit code: 0 when the ratio is within the limit, 1 when it is not.
 */
public final class CreationBenchmark {

  private static final String JOB = "benchmark";
  private static final String ACCOUNTS = "default";
  private static final String OPERATOR = "operator";
  private static final String BARE_CLIENT = "bare-client";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 200;
  private static final double DEFAULT_LIMIT = 1.5;
  private static final Duration QUIET = Duration.ofMillis(2_500);

  private final int pods = Integer.getInteger("pods", 500);
  private final int rounds = Integer.getInteger("rounds", 5);
  private final int warmUps = Integer.getInteger("warmups", 5);
  private final int parallelism = Integer.getInteger("parallelism", 50);
  private final double limit =
      System.getProperty("limit", "").isEmpty()
          ? DEFAULT_LIMIT
          : Double.parseDouble(System.getProperty("limit"));
  private final boolean nodes = !System.getProperty("nodes", "false").equals("false");
  private final Path json = Path.of(System.getProperty("json", "target/benchmark/creation.json"));
  private final PrintStream out;

  private CreationBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; the system properties {@code rounds}, {@code warmups}, {@code pods},
   *     {@code parallelism}, {@code limit}, {@code nodes} (true: pods are scheduled and run) and
   *     {@code json} (where the result goes) say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new CreationBenchmark(System.out).run());
  }

  private int run() throws IOException, InterruptedException {
    say("starting the control plane");
    try (ControlPlane controlPlane =
            ControlPlane.builder().scheduler(nodes).auditLog(true).start();
        FakeKubelet kubelet = kubelet(controlPlane)) {
      OperatorProcess.installCrds(controlPlane.client());
      // The operator shall not see the bare client's pods: its work on them would slow that down.
      List<String> namespaces = new ArrayList<>();
      for (int i = 0; i < warmUps + rounds; i++) {
        namespaces.add(controlPlane.createNamespace("operator"));
      }
      // Both clients have an account with all rights, so that the server's checks are equal.
      AdminAccount account = AdminAccount.create(controlPlane, ACCOUNTS, OPERATOR);
      AdminAccount bareAccount = AdminAccount.create(controlPlane, ACCOUNTS, BARE_CLIENT);
      Config bare = Config.fromKubeconfig(Files.readString(bareAccount.kubeconfig()));
      say("starting the operator");
      try (OperatorProcess operator =
              OperatorProcess.start(
                  account.kubeconfig(),
                  Map.of(
                      "OPERATOR_WATCH_NAMESPACES",
                      String.join(",", namespaces),
                      "OPERATOR_POD_WRITE_PARALLELISM",
                      Integer.toString(parallelism)));
          BareClient client =
              new BareClient(new KubernetesClientBuilder().withConfig(bare).build(), parallelism)) {
        OperatorUsage usage = OperatorUsage.of(operator);
        say("operator: process " + usage.pid() + ", log " + operator.log());
        Report report = measure(controlPlane, client, usage, namespaces);
        report.print(out);
        report.write(json);
        say("written: " + json);
        return report.ratio() <= limit ? 0 : 1;
      }
    }
  }

  private @Nullable FakeKubelet kubelet(ControlPlane controlPlane) {
    return nodes
        ? FakeKubelet.start(controlPlane.client(), FakeKubeletOptions.nodes(2).namePrefix("node"))
        : null;
  }

  private Report measure(
      ControlPlane controlPlane, BareClient client, OperatorUsage usage, List<String> namespaces)
      throws IOException, InterruptedException {
    List<Round> raw = new ArrayList<>();
    List<Round> operator = new ArrayList<>();
    for (int i = 0; i < namespaces.size(); i++) {
      String namespace = namespaces.get(i);
      // Whoever comes second finds the server as the first has left it: that takes turns, too.
      if (i % 2 == 0) {
        raw.add(rawRound(controlPlane, client));
        operator.add(operatorRound(controlPlane, usage, namespace));
      } else {
        operator.add(operatorRound(controlPlane, usage, namespace));
        raw.add(rawRound(controlPlane, client));
      }
      boolean warmUp = i < warmUps;
      say(
          String.format(
              Locale.ROOT,
              "%s %d: raw %d ms, operator %d ms (first pod %d ms and %d ms)",
              warmUp ? "warm-up" : "round",
              warmUp ? i + 1 : i + 1 - warmUps,
              raw.get(i).allPods().toMillis(),
              operator.get(i).allPods().toMillis(),
              raw.get(i).firstPod().toMillis(),
              operator.get(i).firstPod().toMillis()));
    }
    return new Report(
        pods,
        conditions(controlPlane),
        raw.subList(warmUps, raw.size()),
        operator.subList(warmUps, operator.size()),
        usage.memoryMiB());
  }

  private Round rawRound(ControlPlane controlPlane, BareClient client)
      throws IOException, InterruptedException {
    String namespace = controlPlane.createNamespace("raw");
    Jobs jobs = new Jobs(controlPlane.client(), namespace);
    // The owner exists; without it the garbage collector would take the pods away.
    List<Pod> wanted =
        BareClient.podsOf(StoredJob.read(jobs.create(Jobs.simple(JOB, pods, "Never"))));
    double load = loadAverage();
    AuditTrail trail = new AuditTrail(controlPlane.auditLog());
    Duration cpu = ownCpu();
    Instant begin = Instant.now();
    client.create(wanted);
    Duration used = ownCpu().minus(cpu);
    List<AuditTrail.Request> requests = trail.next();
    Round round =
        round(
            requests, begin, namespace, AdminAccount.userOf(ACCOUNTS, BARE_CLIENT), used, 0, load);
    clear(controlPlane, namespace);
    return round;
  }

  private Round operatorRound(ControlPlane controlPlane, OperatorUsage usage, String namespace)
      throws IOException, InterruptedException {
    double load = loadAverage();
    AuditTrail trail = new AuditTrail(controlPlane.auditLog());
    int reconciliationsBefore = usage.reconciliations();
    Duration cpu = usage.cpu();
    new Jobs(controlPlane.client(), namespace).create(Jobs.simple(JOB, pods, "Never"));
    List<AuditTrail.Request> requests = untilQuiet(trail, namespace);
    Duration used = usage.cpu().minus(cpu);
    int reconciliations = usage.reconciliations() - reconciliationsBefore;
    Instant begin =
        requests.stream()
            .filter(request -> request.kind().equals("create pytorchtrainingjobs"))
            .filter(request -> request.namespace().equals(namespace))
            .map(AuditTrail.Request::answered)
            .findFirst()
            .orElseThrow();
    Round round =
        round(
            requests,
            begin,
            namespace,
            AdminAccount.userOf(ACCOUNTS, OPERATOR),
            used,
            reconciliations,
            load);
    clear(controlPlane, namespace);
    return round;
  }

  /** Waits for all pods, and then until the operator has written all that it has to say. */
  private List<AuditTrail.Request> untilQuiet(AuditTrail trail, String namespace)
      throws IOException, InterruptedException {
    List<AuditTrail.Request> requests = new ArrayList<>();
    Instant deadline = Instant.now().plus(PATIENCE);
    Instant lastWrite = Instant.now();
    while (true) {
      for (AuditTrail.Request request : trail.next()) {
        requests.add(request);
        if (request.user().equals(AdminAccount.userOf(ACCOUNTS, OPERATOR))
            && request.namespace().equals(namespace)) {
          lastWrite = Instant.now();
        }
      }
      long created = requests.stream().filter(request -> request.createdPod(namespace)).count();
      if (created >= pods && Instant.now().isAfter(lastWrite.plus(QUIET))) {
        return requests;
      }
      if (Instant.now().isAfter(deadline)) {
        throw new IllegalStateException(created + " of " + pods + " pods within " + PATIENCE);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private Round round(
      List<AuditTrail.Request> requests,
      Instant begin,
      String namespace,
      String user,
      Duration cpu,
      int reconciliations,
      double load) {
    List<Instant> created =
        requests.stream()
            .filter(request -> request.createdPod(namespace))
            .map(AuditTrail.Request::answered)
            .sorted(Comparator.naturalOrder())
            .toList();
    if (created.size() != pods) {
      throw new IllegalStateException(created.size() + " pods were created instead of " + pods);
    }
    Map<String, Integer> kinds = new TreeMap<>();
    int failed = 0;
    for (AuditTrail.Request request : requests) {
      if (request.user().equals(user)) {
        kinds.merge(request.kind(), 1, Integer::sum);
        failed += request.failed() ? 1 : 0;
      }
    }
    return new Round(
        Duration.between(begin, created.get(0)),
        Duration.between(begin, created.get(pods - 1)),
        longestPause(created),
        cpu,
        reconciliations,
        kinds,
        failed,
        load);
  }

  private static Duration longestPause(List<Instant> created) {
    Duration longest = Duration.ZERO;
    for (int i = 1; i < created.size(); i++) {
      Duration pause = Duration.between(created.get(i - 1), created.get(i));
      longest = pause.compareTo(longest) > 0 ? pause : longest;
    }
    return longest;
  }

  /** Deletes the job and waits until the garbage collector has taken its pods away. */
  private static void clear(ControlPlane controlPlane, String namespace)
      throws InterruptedException {
    KubernetesClient client = controlPlane.client();
    client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName(JOB).delete();
    Instant deadline = Instant.now().plus(PATIENCE);
    while (!client.pods().inNamespace(namespace).list().getItems().isEmpty()) {
      if (Instant.now().isAfter(deadline)) {
        throw new IllegalStateException("pods in " + namespace + " after " + PATIENCE);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    TimeUnit.MILLISECONDS.sleep(QUIET.toMillis());
  }

  private Map<String, Object> conditions(ControlPlane controlPlane) {
    Map<String, Object> conditions = new LinkedHashMap<>();
    conditions.put("pods", pods);
    conditions.put("parallelism", parallelism);
    conditions.put("rounds", rounds + " after " + warmUps + " to warm up");
    conditions.put("nodes", nodes ? "pods are scheduled and run" : "pods stay pending");
    conditions.put("processors", Runtime.getRuntime().availableProcessors());
    conditions.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    conditions.put(
        "operator",
        !System.getProperty("operator.binary", "").isEmpty()
            ? "native binary"
            : "jar, " + System.getProperty("operator.java.options", "options of the tests"));
    conditions.put("kubernetes", controlPlane.client().getKubernetesVersion().getGitVersion());
    return conditions;
  }

  private static Duration ownCpu() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? Duration.ofNanos(system.getProcessCpuTime())
        : Duration.ZERO;
  }

  private static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }
}
