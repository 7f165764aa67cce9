package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.schedulers.Kueue;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * A cluster with queues: a real kube-scheduler and a real Kueue, nodes that only report, the
 * packaged operator, and jobs that come, wait, run and end.
 */
public final class QueueScene implements AutoCloseable {

  /** Who Kueue is in the audit log. */
  private static final String KUEUE = "system:serviceaccount:kueue-system:kueue-controller-manager";

  private static final String GPU = "nvidia.com/gpu";
  private static final String NODE = "gpu-";
  private static final String WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/workloads";
  private static final String PODS = "/api/v1/pods";

  private static final SwiftKubelet.End SUCCESS = SwiftKubelet.End.SUCCESS;

  /** Kueue's default. */
  private static final Duration PODS_READY = Duration.ofMinutes(5);

  private static final int ENDING_THREADS = 8;
  private static final int MEDIAN = 50;
  private static final int HIGH = 99;
  private static final int ALL = 100;
  private static final long POLL_MILLIS = 500;
  private static final Duration PATIENCE_PER_GANG = Duration.ofSeconds(10);

  private final QueueSize size;
  private final PrintStream out;
  private final ControlPlane plane;
  private final Map<String, List<PodLife>> running = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer;
  private final Kueue kueue;
  private final Api user;
  private final SwiftKubelet kubelet;
  private final JobDesk desk;
  private final RunningOperator operator;
  private final String namespace;

  private QueueScene(QueueSize size, OperatorKind kind, ControlPlane plane, PrintStream out)
      throws InterruptedException {
    this.size = size;
    this.out = out;
    this.plane = plane;
    timer =
        Executors.newScheduledThreadPool(
            ENDING_THREADS,
            task -> {
              Thread thread = new Thread(task, "end-of-jobs");
              thread.setDaemon(true);
              return thread;
            });
    OperatorProcess.installCrds(plane.client());
    say("starting Kueue, with " + size.nodes() + " nodes");
    kueue = Kueue.builder().waitForPodsReady(PODS_READY).start(plane);
    namespace = plane.createNamespace("queued");
    Map<String, Quantity> room =
        Map.of(
            "cpu",
            new Quantity("64"),
            "memory",
            new Quantity("1Ti"),
            "pods",
            new Quantity("110"),
            GPU,
            new Quantity(Integer.toString(size.gpusPerNode())));
    for (int i = 0; i < size.nodes(); i++) {
      ScaleScene.addNode(plane.client(), NODE + i, room);
    }
    for (int i = 0; i < QueueSize.COHORTS * QueueSize.QUEUES_PER_COHORT; i++) {
      String queue = QueueSize.queueOf(i);
      kueue
          .queues()
          .clusterQueue(
              queue,
              "gpus",
              Map.of(GPU, Integer.toString(size.quotaOfQueue())),
              "{cohortName: cohort-%d, queueingStrategy: StrictFIFO}"
                  .formatted(QueueSize.cohortOf(i)));
      kueue.queues().localQueue(namespace, queue, queue);
    }
    kubelet =
        SwiftKubelet.start(
            new Api(plane, BenchmarkAccount.create(plane, "swift-kubelet").token()),
            node -> node.startsWith(NODE),
            pod -> SwiftKubelet.Course.RUN,
            new SwiftKubelet.Listener() {
              @Override
              public void running(PodLife pod) {
                runs(pod);
              }
            });
    user = new Api(plane, BenchmarkAccount.create(plane, "job-desk").token());
    desk = new JobDesk(user);
    operator =
        RunningOperator.start(
            kind, BenchmarkAccount.create(plane, "operator"), namespace, Map.of());
  }

  /**
   * Starts it all with the operator as it is packaged.
   *
   * @param size how big
   * @param out where it says how it gets on
   * @return what is to be closed
   * @throws InterruptedException when this thread is interrupted
   */
  public static QueueScene start(QueueSize size, PrintStream out) throws InterruptedException {
    return start(size, OperatorKind.ofPackaged(), out);
  }

  /** The same with a certain program. */
  static QueueScene start(QueueSize size, OperatorKind kind, PrintStream out)
      throws InterruptedException {
    ControlPlane plane =
        ControlPlane.builder()
            .auditLog(true)
            .withoutControllers("node-lifecycle-controller", "taint-eviction-controller")
            .endpointsAtUsualRate(true)
            .start();
    try {
      return new QueueScene(size, kind, plane, out);
    } catch (RuntimeException | InterruptedException problem) {
      plane.close();
      throw problem;
    }
  }

  /** When all pods of a job run, its end is not far: the workers end, then the master. */
  private void runs(PodLife pod) {
    List<PodLife> pods = running.computeIfAbsent(pod.job, any -> new ArrayList<>());
    synchronized (pods) {
      pods.add(pod);
      if (pods.size() != size.podsPerGang()) {
        return;
      }
    }
    try {
      var unused =
          timer.schedule(
              () -> {
                kubelet.end(pods.stream().filter(one -> !one.isMaster()).toList(), SUCCESS);
                kubelet.end(pods.stream().filter(PodLife::isMaster).toList(), SUCCESS);
              },
              size.runs().toMillis(),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closed) {
      // nobody waits for the job's end any more
    }
  }

  /**
   * Lets jobs through their whole life: they come, wait for their turn, run, end and are deleted.
   *
   * @param prefix of their names, not that of an earlier call
   * @param count how many jobs
   * @return what was seen and counted, from the first submission until the operator is quiet again
   * @throws IOException when the audit log cannot be read
   * @throws InterruptedException when this thread is interrupted
   * @throws IllegalStateException when the jobs do not come to their end, ten seconds for each
   */
  public QueueOutcome run(String prefix, int count) throws IOException, InterruptedException {
    GangLedger ledger = new GangLedger(size);
    List<Map<String, String>> turns = turns(prefix, count, ledger);
    awaitQuiet();
    double idle = operator.usage().memoryMiB();
    try (WatchLoop pods =
            watch(PODS, (pod, deleted) -> ledger.pod(pod, deleted, System.nanoTime()));
        WatchLoop workloads =
            watch(WORKLOADS, (workload, deleted) -> ledger.workload(workload, System.nanoTime()))) {
      AuditTrail trail = new AuditTrail(plane.auditLog());
      Requests requests = new Requests(trail);
      double cpu = operator.usage().cpuSeconds();
      int lists = kubelet.cuts();
      long begin = System.nanoTime();
      List<JobLife> jobs = submit(turns);
      int mostWaiting = 0;
      Duration patience = PATIENCE_PER_GANG.multipliedBy(count).plusMinutes(1);
      long deadline = System.nanoTime() + patience.toNanos();
      long told = begin;
      while (!jobs.stream().allMatch(job -> job.finished != 0)) {
        mostWaiting = Math.max(mostWaiting, waiting(ledger));
        requests.read();
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(
              "not within %s: all jobs end; log of the operator: %s"
                  .formatted(patience, operator.log()));
        }
        if (System.nanoTime() - told > TimeUnit.SECONDS.toNanos(20)) {
          told = System.nanoTime();
          say(
              "%d of %d jobs have ended, %d wait"
                  .formatted(
                      jobs.stream().filter(job -> job.finished != 0).count(),
                      count,
                      waiting(ledger)));
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      long end = jobs.stream().mapToLong(job -> job.finished).max().orElseThrow();
      for (JsonNode job : list(JobResource.PYTORCH_TRAINING_JOB.path(namespace))) {
        ledger.job(job);
      }
      awaitQuiet();
      desk.deleteAll(namespace);
      ScaleScene.await(
          "no jobs and no pods in " + namespace,
          () ->
              jobs.stream().allMatch(job -> job.gone != 0)
                  && kubelet.pods(namespace).stream().allMatch(pod -> pod.gone != 0));
      awaitQuiet();
      requests.read();
      Map<String, Double> seconds = new LinkedHashMap<>();
      seconds.put("first job submitted → last job Succeeded (s)", Percentile.seconds(end - begin));
      spans(seconds, "admitted → first pod created", ledger.gangs(), QueueScene::toFirstPod);
      spans(seconds, "first pod bound → last pod bound", ledger.gangs(), QueueScene::toLastBound);
      seconds.put("operator's CPU per job (s)", (operator.usage().cpuSeconds() - cpu) / count);
      List<Integer> most = new ArrayList<>();
      for (int cohort = 0; cohort < QueueSize.COHORTS; cohort++) {
        most.add(ledger.mostInUse(cohort));
      }
      kubelet.forget(namespace);
      desk.forget(namespace);
      running.clear();
      return new QueueOutcome(
          count,
          ledger.violations(),
          requests.of(operator.user()),
          requests.of(KUEUE),
          most,
          mostWaiting,
          seconds,
          pods.cuts() + workloads.cuts() + kubelet.cuts() - lists,
          idle,
          operator.usage().peakMemoryMiB());
    }
  }

  /** Jobs that have a Workload and wait. */
  private static int waiting(GangLedger ledger) {
    synchronized (ledger) {
      return (int)
          ledger.gangs().stream()
              .filter(gang -> gang.workloads > 0 && gang.admissionSeen == 0)
              .count();
    }
  }

  private static long toFirstPod(QueuedGang gang) {
    return gang.firstPodSeen - gang.admissionSeen;
  }

  private static long toLastBound(QueuedGang gang) {
    return gang.lastBound - gang.firstBound;
  }

  private static void spans(
      Map<String, Double> rows,
      String what,
      List<QueuedGang> gangs,
      ToLongFunction<QueuedGang> span) {
    List<Long> nanos = gangs.stream().map(span::applyAsLong).toList();
    rows.put(what + ", p50 (s)", Percentile.seconds(nanos, MEDIAN));
    rows.put(what + ", p99 (s)", Percentile.seconds(nanos, HIGH));
    rows.put(what + ", most (s)", Percentile.seconds(nanos, ALL));
  }

  /** Manifests by name, in turns of one for each queue, or all at once. */
  private List<Map<String, String>> turns(String prefix, int count, GangLedger ledger) {
    List<Map<String, String>> turns = new ArrayList<>();
    int each = size.pace().isZero() ? count : QueueSize.COHORTS * QueueSize.QUEUES_PER_COHORT;
    for (int i = 0; i < count; i++) {
      if (i % each == 0) {
        turns.add(new LinkedHashMap<>());
      }
      String name = prefix + i;
      String queue = QueueSize.queueOf(i);
      turns.get(turns.size() - 1).put(name, manifest(name, queue));
      ledger.expect(new QueuedGang(name, queue, QueueSize.cohortOf(i)));
    }
    return turns;
  }

  private String manifest(String name, String queue) {
    return """
        {"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",\
        "metadata":{"name":"%s","labels":{"kueue.x-k8s.io/queue-name":"%s"}},\
        "spec":{"replicaSpecs":[{"type":"worker","replicas":%d,"restartPolicy":"OnFailure",\
        "template":{"spec":{"containers":[{"name":"pytorch","image":"registry.example/train:1",\
        "command":["python","train.py"],"resources":{"limits":{"%s":%d}}}]}}}]}}"""
        .formatted(name, queue, size.podsPerGang(), GPU, size.gpusPerNode());
  }

  private List<JobLife> submit(List<Map<String, String>> turns) throws InterruptedException {
    List<JobLife> jobs = new ArrayList<>();
    long begin = System.nanoTime();
    for (Map<String, String> turn : turns) {
      TimeUnit.NANOSECONDS.sleep(begin - System.nanoTime());
      jobs.addAll(desk.submit(namespace, turn));
      begin += size.pace().toNanos();
    }
    return jobs;
  }

  /** Is told of an object as it is now, or as it was last. */
  private interface Seen {
    void object(JsonNode object, boolean deleted);
  }

  private WatchLoop watch(String path, Seen seen) throws InterruptedException {
    return WatchLoop.start(
        user,
        path,
        new WatchLoop.Handler() {
          @Override
          public void seen(JsonNode object, boolean deleted) {
            seen.object(object, deleted);
          }

          @Override
          public void onlyThese(Set<String> uids) {
            // what is gone has ended before: nothing is deleted while jobs run
          }
        });
  }

  private Iterable<JsonNode> list(String path) throws IOException {
    return new ObjectMapper().readTree(user.get(path).orThrow("list " + path).body()).path("items");
  }

  private void awaitQuiet() throws InterruptedException {
    ScaleScene.awaitQuiet(operator.usage()::cpuSeconds, ScaleScene.OPERATOR_AT_REST);
  }

  /** What the audit log tells, by user. */
  private static final class Requests {
    private final AuditTrail trail;
    private final Map<String, Map<String, Integer>> counts = new TreeMap<>();

    Requests(AuditTrail trail) {
      this.trail = trail;
    }

    void read() throws IOException {
      for (AuditTrail.Request request : trail.next()) {
        String kind = request.kind() + (request.failed() ? " → " + request.code() : "");
        counts.computeIfAbsent(request.user(), any -> new TreeMap<>()).merge(kind, 1, Integer::sum);
      }
    }

    Map<String, Integer> of(String user) {
      return counts.getOrDefault(user, Map.of());
    }
  }

  /** The version of the API server. */
  String kubernetes() {
    return plane.client().getKubernetesVersion().getGitVersion();
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      operator.close();
      desk.close();
      kubelet.close();
      kueue.close();
    } finally {
      plane.close();
    }
  }
}
