package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A node that does nothing but report, with as little work as possible: one small patch makes a pod
 * Running, one ends it, one request confirms its deletion. Pods name the node in their template, so
 * that nobody has to bind them, or a scheduler binds them to one of several such nodes. Takes down
 * when what happened.
 */
final class SwiftKubelet implements AutoCloseable {

  /** The node that templates name. */
  static final String NODE = "swift";

  private static final int PARALLELISM = 16;
  private static final int TRIES = 20;
  private static final long RETRY_MILLIS = 250;
  private static final int GONE = 404;
  private static final int CONFLICT = 409;

  private final Api api;
  private final ThreadPoolExecutor workers;
  private final Map<String, PodLife> lives = new ConcurrentHashMap<>();
  private final List<Runnable> held = new ArrayList<>();
  private final Collection<Thread> threads = new ConcurrentLinkedQueue<>();
  private final Map<String, AtomicInteger> created = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
  private final AtomicInteger addresses = new AtomicInteger();
  private final Predicate<String> nodes;
  private final Function<PodLife, Course> courses;
  private final Listener listener;
  private boolean holding;
  private @Nullable WatchLoop watch;

  /** What a pod does. */
  enum Course {
    /** It runs until it is told to end. */
    RUN,
    /** Its first report is its good end. */
    SUCCEED_AT_ONCE
  }

  /**
   * How a pod ends.
   *
   * @param exitCode of its container
   * @param evicted whether the node has thrown it out
   */
  record End(int exitCode, boolean evicted) {
    static final End SUCCESS = new End(0, false);
    static final End FAILURE = new End(1, false);
    static final End KILLED = new End(137, false);
    static final End EVICTION = new End(137, true);
    static final End TERMINATION = new End(143, false);
  }

  /** Is told what happens; must not take long. */
  interface Listener {
    Listener NONE = new Listener() {};

    /** A pod that was not seen before. Called by the thread of the watch, in the watch's order. */
    default void created(PodLife pod) {}

    /** The API server has it as Running. */
    default void running(PodLife pod) {}
  }

  private SwiftKubelet(
      Api api, Predicate<String> nodes, Function<PodLife, Course> courses, Listener listener) {
    this.api = api;
    this.nodes = nodes;
    this.courses = courses;
    this.listener = listener;
    this.workers =
        new ThreadPoolExecutor(
            PARALLELISM,
            PARALLELISM,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            this::thread);
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "swift-kubelet");
    thread.setDaemon(true);
    threads.add(thread);
    return thread;
  }

  /** Begins to look after all pods that name the node; the node must exist. */
  static SwiftKubelet start(Api api, Function<PodLife, Course> courses, Listener listener)
      throws InterruptedException {
    return start(api, NODE::equals, courses, listener);
  }

  /** The same for all pods that a scheduler has bound to certain nodes, which must exist. */
  static SwiftKubelet start(
      Api api, Predicate<String> nodes, Function<PodLife, Course> courses, Listener listener)
      throws InterruptedException {
    SwiftKubelet kubelet = new SwiftKubelet(api, nodes, courses, listener);
    kubelet.watch =
        WatchLoop.start(
            api,
            "/api/v1/pods",
            new WatchLoop.Handler() {
              @Override
              public void seen(JsonNode pod, boolean deleted) {
                kubelet.seen(pod, deleted);
              }

              @Override
              public void onlyThese(Set<String> uids) {
                kubelet.lives.values().stream()
                    .filter(life -> life.gone == 0 && !uids.contains(life.uid))
                    .forEach(life -> life.gone = System.nanoTime());
              }
            });
    kubelet.threads.add(kubelet.watch.thread());
    return kubelet;
  }

  /** CPU seconds of its threads, which are a part of this JVM's. */
  double cpuSeconds() {
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    long nanos =
        threads.stream().mapToLong(one -> Math.max(0, cpu.getThreadCpuTime(one.getId()))).sum();
    return Percentile.seconds(nanos);
  }

  /** How often its watch was cut off. */
  int cuts() {
    return watch == null ? 0 : watch.cuts();
  }

  /** All pods of a namespace that were seen, also those that are gone. */
  List<PodLife> pods(String namespace) {
    return lives.values().stream().filter(life -> life.namespace.equals(namespace)).toList();
  }

  /** How many pods of a namespace were ever seen. */
  int created(String namespace) {
    return count(created, namespace).get();
  }

  /** How many pods of a namespace were ever Running. */
  int running(String namespace) {
    return count(running, namespace).get();
  }

  private static AtomicInteger count(Map<String, AtomicInteger> counts, String namespace) {
    return counts.computeIfAbsent(namespace, any -> new AtomicInteger());
  }

  /** Forgets the pods of a namespace that are gone. */
  void forget(String namespace) {
    lives.values().removeIf(life -> life.namespace.equals(namespace) && life.gone != 0);
  }

  /** From now on nothing starts. */
  void hold() {
    synchronized (held) {
      holding = true;
    }
  }

  /** Starts what was held. */
  void release() {
    synchronized (held) {
      holding = false;
      held.forEach(this::submit);
      held.clear();
    }
  }

  private void submitUnlessHeld(Runnable task) {
    synchronized (held) {
      if (holding) {
        held.add(task);
        return;
      }
    }
    submit(task);
  }

  /** Ends pods, many at a time, and returns when the API server has taken all reports. */
  void end(Collection<PodLife> pods, End end) {
    List<CompletableFuture<?>> reports = new ArrayList<>();
    for (PodLife pod : pods) {
      reports.add(CompletableFuture.runAsync(() -> reportEnd(pod, end), workers));
    }
    reports.forEach(CompletableFuture::join);
  }

  private void seen(JsonNode pod, boolean deleted) {
    if (!nodes.test(pod.path("spec").path("nodeName").asText())) {
      return;
    }
    String uid = pod.path("metadata").path("uid").asText();
    PodLife life = lives.get(uid);
    if (life == null) {
      if (deleted) {
        return;
      }
      life = new PodLife(pod);
      lives.put(uid, life);
      String phase = pod.path("status").path("phase").asText();
      if (phase.equals("Succeeded") || phase.equals("Failed")) {
        life.ending = life.ended = life.created;
      } else {
        count(created, life.namespace).incrementAndGet();
        listener.created(life);
        begin(life);
      }
    }
    if (deleted) {
      life.gone = System.nanoTime();
    } else if (life.deleting == 0 && pod.path("metadata").has("deletionTimestamp")) {
      life.deleting = System.nanoTime();
      PodLife leaving = life;
      submit(() -> confirmDeletion(leaving));
    }
  }

  private void begin(PodLife life) {
    Course course = courses.apply(life);
    Runnable report =
        course == Course.RUN ? () -> reportRunning(life) : () -> reportEnd(life, End.SUCCESS);
    submitUnlessHeld(report);
  }

  private void submit(Runnable task) {
    try {
      workers.execute(task);
    } catch (RejectedExecutionException e) {
      // closed
    }
  }

  private void reportRunning(PodLife life) {
    if (life.ending != 0 || life.deleting != 0) {
      return;
    }
    if (insist(life, () -> api.patch(path(life) + "/status", running(life)))) {
      life.running = System.nanoTime();
      count(running, life.namespace).incrementAndGet();
      listener.running(life);
    }
  }

  private void reportEnd(PodLife life, End end) {
    synchronized (life) {
      if (life.ending != 0 || life.gone != 0) {
        return;
      }
      life.ending = System.nanoTime();
    }
    if (insist(life, () -> api.patch(path(life) + "/status", ended(life, end)))) {
      life.ended = System.nanoTime();
    }
  }

  /** As a kubelet does: the containers end, the end is reported, then the pod may go. */
  private void confirmDeletion(PodLife life) {
    if (life.running != 0) {
      reportEnd(life, End.TERMINATION);
    }
    boolean unused =
        insist(
            life,
            () ->
                api.delete(
                    path(life),
                    "{\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"" + life.uid + "\"}}"));
  }

  /**
   * Repeats a request until it is taken.
   *
   * @return false when the pod is not there any more, when this kubelet is closed, or when it gives
   *     up after many tries, which it then prints
   */
  private boolean insist(PodLife life, java.util.function.Supplier<Api.Answer> request) {
    String last = "no answer";
    for (int i = 0; i < TRIES && !workers.isShutdown(); i++) {
      try {
        Api.Answer answer = request.get();
        if (answer.accepted()) {
          return true;
        }
        if (answer.code() == GONE || answer.code() == CONFLICT) {
          return false;
        }
        last = answer.code() + ": " + answer.body();
      } catch (UncheckedIOException | IllegalStateException problem) {
        last = problem.toString();
      }
      try {
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    if (!workers.isShutdown()) {
      System.err.println(
          "gave up on pod " + life.namespace + "/" + life.name + ", the last answer was " + last);
    }
    return false;
  }

  private static String path(PodLife life) {
    return "/api/v1/namespaces/" + life.namespace + "/pods/" + life.name;
  }

  private String running(PodLife life) {
    int number = addresses.incrementAndGet();
    String ip = "10." + (number >> 16 & 255) + "." + (number >> 8 & 255) + "." + (number & 255);
    String now = now();
    return """
    {"metadata":{"uid":"%1$s"},"status":{"phase":"Running","hostIP":"127.0.0.1","podIP":"%2$s",\
    "podIPs":[{"ip":"%2$s"}],"startTime":"%3$s","conditions":[\
    {"type":"PodScheduled","status":"True","lastTransitionTime":"%3$s"},\
    {"type":"Initialized","status":"True","lastTransitionTime":"%3$s"},\
    {"type":"ContainersReady","status":"True","lastTransitionTime":"%3$s"},\
    {"type":"Ready","status":"True","lastTransitionTime":"%3$s"}],\
    "containerStatuses":[{"name":"pytorch","image":"registry.example/train:1","imageID":"x",\
    "ready":true,"started":true,"restartCount":0,"state":{"running":{"startedAt":"%3$s"}}}]}}\
    """
        .formatted(life.uid, ip, now);
  }

  private static String ended(PodLife life, End end) {
    String now = now();
    String disruption =
        """
        ,{"type":"DisruptionTarget","status":"True","reason":"TerminationByKubelet",\
        "message":"The node was low on resource: memory.","lastTransitionTime":"%s"}\
        """
            .formatted(now);
    return """
    {"metadata":{"uid":"%1$s"},"status":{"phase":"%2$s"%3$s,"conditions":[\
    {"type":"PodScheduled","status":"True","lastTransitionTime":"%4$s"},\
    {"type":"Initialized","status":"True","lastTransitionTime":"%4$s"},\
    {"type":"ContainersReady","status":"False","lastTransitionTime":"%4$s"},\
    {"type":"Ready","status":"False","lastTransitionTime":"%4$s"}%5$s],\
    "containerStatuses":[{"name":"pytorch","image":"registry.example/train:1","imageID":"x",\
    "ready":false,"started":false,"restartCount":0,"state":{"terminated":{"exitCode":%6$d,\
    "reason":"%7$s","startedAt":"%4$s","finishedAt":"%4$s"}}}]}}\
    """
        .formatted(
            life.uid,
            end.exitCode() == 0 ? "Succeeded" : "Failed",
            end.evicted() ? ",\"reason\":\"Evicted\",\"message\":\"The node was low\"" : "",
            now,
            end.evicted() ? disruption : "",
            end.exitCode(),
            end.exitCode() == 0 ? "Completed" : "Error");
  }

  /** The present second as Kubernetes writes it. */
  static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** How many pods of a namespace fulfil something. */
  long count(String namespace, Predicate<PodLife> which) {
    return lives.values().stream()
        .filter(life -> life.namespace.equals(namespace) && which.test(life))
        .count();
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
    workers.shutdownNow();
  }
}
