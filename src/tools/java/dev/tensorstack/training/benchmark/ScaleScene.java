package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/** A control plane with a swift node, and those who work on it in turns. */
final class ScaleScene implements AutoCloseable {

  /** Jobs whose name begins so have pods that are done with their first report. */
  static final String DONE = "done-";

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 10;

  /** CPU seconds per second of one that has nothing to do but its own housekeeping. */
  static final double OPERATOR_AT_REST = 0.05;

  private static final double API_SERVER_AT_REST = 0.15;

  /** How many seconds to wait for rest, at most. */
  private static final int REST_LIMIT = 30;

  private static final int QUICK_REST_LIMIT = 8;

  private final int restLimit = Boolean.getBoolean("quick") ? QUICK_REST_LIMIT : REST_LIMIT;
  private final PrintStream out;
  private final ControlPlane controlPlane;
  private final Map<OperatorKind, BenchmarkAccount> accounts = new EnumMap<>(OperatorKind.class);
  private final BenchmarkAccount trainingOperator;
  private final SwiftKubelet kubelet;
  private final Map<JobResource, JobDesk> desks = new EnumMap<>(JobResource.class);
  private final Api rawApi;
  private final RawClient raw;
  private final String rawNamespace;
  private final PyTorchTrainingJob owner;
  private final ProcessUsage apiServer;
  private final ProcessUsage etcd;
  private final List<ProcessUsage> controllerManager;
  private final ProcessUsage self = new ProcessUsage(ProcessHandle.current().pid());

  /**
   * CPU seconds of those who share the machine.
   *
   * @param controllerManager of kube-controller-manager, both processes of it
   * @param kubelet the benchmark's
   * @param self the rest of the benchmark: the bare client, who submits jobs, and who watches them
   */
  record Cpu(double apiServer, double etcd, double controllerManager, double kubelet, double self) {
    Cpu since(Cpu before) {
      return new Cpu(
          apiServer - before.apiServer,
          etcd - before.etcd,
          controllerManager - before.controllerManager,
          kubelet - before.kubelet,
          self - before.self);
    }
  }

  /** What is measured when it is an operator's turn. */
  interface Turn {

    /**
     * Measures.
     *
     * @param operator whose turn it is
     * @param counts false: it only warms up
     */
    void take(RunningOperator operator, boolean counts) throws InterruptedException;
  }

  private ScaleScene(ControlPlane controlPlane, PrintStream out) throws InterruptedException {
    this.out = out;
    this.controlPlane = controlPlane;
    OperatorProcess.installCrds(controlPlane.client());
    addNode(controlPlane.client(), SwiftKubelet.NODE);
    for (OperatorKind kind : OperatorKind.values()) {
      accounts.put(kind, BenchmarkAccount.create(controlPlane, "operator-" + kind.title()));
    }
    rawApi = api("raw-client");
    raw = new RawClient(rawApi);
    rawNamespace = controlPlane.createNamespace("raw");
    owner =
        controlPlane
            .client()
            .resource(
                Serialization.unmarshal(
                    JobResource.PYTORCH_TRAINING_JOB.manifest("owner", 1, "Never", ""),
                    PyTorchTrainingJob.class))
            .inNamespace(rawNamespace)
            .create();
    String address = controlPlane.url();
    apiServer =
        ProcessUsage.ofChild(
            "kube-apiserver", "--secure-port=" + address.substring(address.lastIndexOf(':') + 1));
    etcd = ProcessUsage.ofChild("etcd", "--name=etcd");
    controllerManager = ProcessUsage.ofChildren("kube-controller-manager");
    warmUp();
    // Watches that begin now get a buffer of the size that the bursts before have shown to be
    // needed; those of a fresh API server are cut off in bursts.
    kubelet =
        SwiftKubelet.start(
            api("swift-kubelet"),
            pod ->
                pod.job.startsWith(DONE)
                    ? SwiftKubelet.Course.SUCCEED_AT_ONCE
                    : SwiftKubelet.Course.RUN,
            SwiftKubelet.Listener.NONE);
    Api user = api("job-desk");
    for (JobResource resource : JobResource.values()) {
      desks.put(resource, new JobDesk(user, resource));
    }
    trainingOperator = BenchmarkAccount.create(controlPlane, "training-operator");
  }

  /** Starts the control plane, with its audit log, which costs all clients the same. */
  static ScaleScene start(PrintStream out) throws InterruptedException {
    ControlPlane controlPlane = controlPlane(!"false".equals(System.getProperty("audit")));
    try {
      return new ScaleScene(controlPlane, out);
    } catch (RuntimeException | InterruptedException e) {
      controlPlane.close();
      throw e;
    }
  }

  /** A control plane without a scheduler, whose nodes nobody judges. */
  static ControlPlane controlPlane(boolean auditLog) {
    return ControlPlane.builder()
        .scheduler(false)
        .auditLog(auditLog)
        .withoutControllers("node-lifecycle-controller", "taint-eviction-controller")
        .endpointsAtUsualRate(!"lifted".equals(System.getProperty("endpoints")))
        .apiServerArguments("--profiling=" + Profiles.wanted())
        .start();
  }

  /** A node that is ready and has room for all. */
  static void addNode(KubernetesClient client, String name) {
    addNode(
        client,
        name,
        Map.of(
            "cpu", new Quantity("100000"),
            "memory", new Quantity("1000Ti"),
            "pods", new Quantity("1000000")));
  }

  /** A node that is ready and has so much room. */
  static void addNode(KubernetesClient client, String name, Map<String, Quantity> room) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withCapacity(room)
                .withAllocatable(room)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withReason("KubeletReady")
                .withLastHeartbeatTime(now)
                .withLastTransitionTime(now)
                .endCondition()
                .endStatus()
                .build())
        .create();
    // The API server puts "not ready" on every new node.
    client
        .nodes()
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"taints\":null}}");
  }

  private Api api(String account) {
    return new Api(controlPlane, BenchmarkAccount.create(controlPlane, account).token());
  }

  /** Many pods come and go before anybody watches. */
  private void warmUp() {
    int pods = Integer.getInteger("warmup.pods", 1_500);
    say("warming the API server up with " + pods + " pods");
    for (int part = 0; part < 3; part++) {
      Map<String, String> manifests = manifests("warm" + part + "-", 1, pods / 3, "");
      List<byte[]> bodies = rawBodies(JobResource.PYTORCH_TRAINING_JOB, manifests).pods();
      var unused = raw.createPods(rawNamespace, bodies, 16);
      raw.deleteAll(rawNamespace);
    }
  }

  /** PyTorchTrainingJobs of so many pods by name, with further fields of the spec in JSON. */
  static Map<String, String> manifests(String prefix, int jobs, int pods, String options) {
    return JobResource.PYTORCH_TRAINING_JOB.manifests(prefix, jobs, pods, options);
  }

  /** What the operator would create for these jobs, owned by a job that exists. */
  RawClient.Bodies rawBodies(JobResource resource, Map<String, String> manifests) {
    return RawClient.bodiesOf(resource, manifests, rawNamespace, owner);
  }

  /** Starts an operator for a new namespace. */
  RunningOperator operator(OperatorKind kind) {
    return RunningOperator.start(
        kind, account(kind), controlPlane.createNamespace(kind.title()), Map.of());
  }

  /** Starts an operator for all namespaces; jobs are submitted in a new one. */
  RunningOperator operatorAsShipped(OperatorKind kind, Map<String, String> settings) {
    String namespace = controlPlane.createNamespace("shipped");
    RunningOperator everywhere = RunningOperator.start(kind, account(kind), "", settings);
    return new RunningOperator(
        kind, namespace, everywhere.user(), everywhere.process(), everywhere.usage());
  }

  /** Starts Kubeflow's Training Operator for a new namespace, without any limits. */
  TrainingOperator trainingOperator(Path program) {
    String namespace = controlPlane.createNamespace("training-operator");
    List<String> arguments = new ArrayList<>(TrainingOperator.WITHOUT_LIMITS);
    arguments.add("--namespace=" + namespace);
    return TrainingOperator.start(program, controlPlane, trainingOperator, namespace, arguments);
  }

  /** Starts Kubeflow's Training Operator with its defaults, for all namespaces. */
  TrainingOperator trainingOperatorAsShipped(Path program) {
    return TrainingOperator.start(
        program,
        controlPlane,
        trainingOperator,
        controlPlane.createNamespace("training-operator"),
        List.of());
  }

  /**
   * Starts an operator of each kind, gives each its turn in every round, and stops them.
   *
   * @param warmUps rounds before those that count
   * @param rounds rounds that count
   */
  void inTurns(List<OperatorKind> kinds, int warmUps, int rounds, Turn turn)
      throws InterruptedException {
    List<RunningOperator> operators = new ArrayList<>();
    try {
      for (OperatorKind kind : kinds) {
        operators.add(operator(kind));
      }
      for (int i = -warmUps; i < rounds; i++) {
        for (RunningOperator operator : operators) {
          turn.take(operator, i >= 0);
        }
      }
    } finally {
      operators.forEach(RunningOperator::close);
    }
  }

  BenchmarkAccount account(OperatorKind kind) {
    return java.util.Objects.requireNonNull(accounts.get(kind));
  }

  ControlPlane controlPlane() {
    return controlPlane;
  }

  SwiftKubelet kubelet() {
    return kubelet;
  }

  /** The desk for PyTorchTrainingJobs. */
  JobDesk desk() {
    return desk(JobResource.PYTORCH_TRAINING_JOB);
  }

  JobDesk desk(JobResource resource) {
    return java.util.Objects.requireNonNull(desks.get(resource));
  }

  RawClient raw() {
    return raw;
  }

  /** The bare client that makes as many writes as an operator. */
  SameWritesClient sameWrites(JobResource resource, int parallelism) {
    return new SameWritesClient(rawApi, resource, rawNamespace, parallelism);
  }

  String rawNamespace() {
    return rawNamespace;
  }

  Cpu cpu() {
    double ofKubelet = kubelet.cpuSeconds();
    return new Cpu(
        apiServer.cpuSeconds(),
        etcd.cpuSeconds(),
        controllerManager.stream().mapToDouble(ProcessUsage::cpuSeconds).sum(),
        ofKubelet,
        self.cpuSeconds() - ofKubelet);
  }

  /** A trail of requests from now on; empty when there is no audit log. */
  java.util.Optional<AuditTrail> trail() throws java.io.IOException {
    return "false".equals(System.getProperty("audit"))
        ? java.util.Optional.empty()
        : java.util.Optional.of(new AuditTrail(controlPlane.auditLog()));
  }

  /**
   * Waits for something that others do.
   *
   * @throws IllegalStateException when it does not come within ten minutes
   */
  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    if (!awaitAtMost(PATIENCE, condition)) {
      throw new IllegalStateException("not within " + PATIENCE + ": " + what);
    }
  }

  /** Waits for something that others do; false when it does not come. */
  static boolean awaitAtMost(Duration limit, BooleanSupplier condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return true;
  }

  /**
   * Waits until the API server has hardly used any CPU for a second: what is still to be done for
   * objects that are gone, Endpoints above all, is none of the next one's.
   */
  void awaitQuiet() throws InterruptedException {
    awaitQuiet(apiServer::cpuSeconds, API_SERVER_AT_REST, restLimit);
  }

  /** Waits until an operator has hardly used any CPU for a second. */
  void awaitQuiet(RunningProgram operator) throws InterruptedException {
    awaitQuiet(operator.usage()::cpuSeconds, OPERATOR_AT_REST, restLimit);
  }

  /**
   * Waits, for 30 s at most, until a process has used less CPU in a second than it does at rest.
   */
  static void awaitQuiet(DoubleSupplier cpuSeconds, double atRest) throws InterruptedException {
    awaitQuiet(cpuSeconds, atRest, REST_LIMIT);
  }

  private static void awaitQuiet(DoubleSupplier cpuSeconds, double atRest, int seconds)
      throws InterruptedException {
    double used = Double.MAX_VALUE;
    for (int i = 0; i < seconds && used > atRest; i++) {
      double before = cpuSeconds.getAsDouble();
      TimeUnit.SECONDS.sleep(1);
      used = cpuSeconds.getAsDouble() - before;
    }
  }

  /** Deletes all jobs of a namespace and waits until pods and jobs are gone. */
  void clear(String namespace, List<JobLife> jobs) throws InterruptedException {
    jobs.stream()
        .map(job -> job.resource)
        .distinct()
        .forEach(resource -> desk(resource).deleteAll(namespace));
    await(
        "no jobs and no pods in " + namespace,
        () ->
            jobs.stream().allMatch(job -> job.gone != 0)
                && kubelet.pods(namespace).stream().allMatch(pod -> pod.gone != 0));
  }

  /** Takes away the webhooks that an operator may have left; one that was killed has. */
  void withoutWebhooks() {
    var webhooks = controlPlane.client().admissionRegistration().v1();
    var unused = webhooks.mutatingWebhookConfigurations().delete();
    var alsoUnused = webhooks.validatingWebhookConfigurations().delete();
  }

  /** Forgets what is gone. */
  void forget(String namespace) {
    kubelet.forget(namespace);
    desks.values().forEach(desk -> desk.forget(namespace));
  }

  void say(String line) {
    out.println(line);
    out.flush();
  }

  @Override
  public void close() {
    desks.values().forEach(JobDesk::close);
    kubelet.close();
    controlPlane.close();
  }
}
