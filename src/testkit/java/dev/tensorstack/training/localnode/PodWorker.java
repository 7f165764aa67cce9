package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks after one pod from its binding to its end, in a thread of its own: looks at what is, does
 * what is due, reports, and sleeps until something changes.
 */
final class PodWorker {
  private static final System.Logger LOG = System.getLogger(PodWorker.class.getName());
  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(30);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration GRACE_WHEN_GONE = Duration.ofSeconds(2);
  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);

  private final NodeContext node;
  private final PodContainers containers;
  private final Semaphore requeueAt = new Semaphore(0);
  private final Runnable onEnd;
  private final Thread thread;
  private final Instant startTime;
  private volatile Pod pod;
  private volatile boolean gone;
  private volatile boolean halted;
  private @Nullable Instant stopSince;
  private @Nullable String result;
  private @Nullable String reason;
  private @Nullable String message;
  private boolean silent;
  private volatile boolean over;

  /**
   * A pod that was bound to the node.
   *
   * @param pod the pod
   * @param node the node
   * @param onEnd called when there is nothing left to do for it
   */
  PodWorker(Pod pod, NodeContext node, Runnable onEnd) {
    this.pod = pod;
    this.node = node;
    this.onEnd = onEnd;
    this.containers = new PodContainers(pod, node, this::wake);
    this.thread = new Thread(this::run, "pod " + pod.getMetadata().getName());
    thread.setDaemon(true);
    PodStatus status = pod.getStatus();
    boolean startedBefore = status != null && status.getStartTime() != null;
    this.startTime = startedBefore ? Instant.parse(status.getStartTime()) : Instant.now();
    if (ended(status)) {
      result = status.getPhase();
      silent = true;
    } else if (startedBefore) {
      containers.adopt();
    }
  }

  /** Starts the thread. */
  void start() {
    thread.start();
  }

  /**
   * Tells a change of the pod.
   *
   * @param changed the pod as the API server has it now
   */
  void update(Pod changed) {
    keepLatest(changed);
    wake();
  }

  /** Tells that the pod is no longer in the API server. */
  void gone() {
    gone = true;
    wake();
  }

  /** Lets it look at everything again. */
  void wake() {
    requeueAt.release();
  }

  /**
   * Kills all processes and stops looking after the pod, without a word to the API server. Waits
   * until that is done.
   */
  void halt() {
    halted = true;
    containers.runs().forEach(ContainerRun::kill);
    wake();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Whether the pod is gone from the API server as well as from this node.
   *
   * @return true when it can be forgotten
   */
  boolean finished() {
    return gone && over;
  }

  /**
   * The pod as it was last seen.
   *
   * @return never null
   */
  Pod pod() {
    return pod;
  }

  /**
   * One of its containers.
   *
   * @param name the container's name
   * @return empty if there is none
   */
  Optional<ContainerRun> container(String name) {
    return containers.runs().stream()
        .filter(run -> run.container().getName().equals(name))
        .findFirst();
  }

  /**
   * The processes of all its containers.
   *
   * @return process ids, empty when nothing runs
   */
  Set<Long> processes() {
    Set<Long> processes = new TreeSet<>();
    containers.runs().forEach(run -> processes.addAll(run.processes()));
    return processes;
  }

  private void run() {
    while (!over && !halted) {
      Instant next;
      try {
        next = step();
      } catch (RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "Pod " + pod.getMetadata().getName(), e);
        next = Instant.now().plus(RETRY);
      }
      sleepUntil(next);
    }
    if (halted) {
      // What was started between the order to stop and now.
      containers.runs().forEach(ContainerRun::kill);
    } else {
      node.directory().deletePod(pod.getMetadata().getUid());
    }
    onEnd.run();
  }

  private Instant step() {
    containers.refresh();
    boolean listens = node.connected().getAsBoolean();
    boolean deleting = gone || listens && pod.getMetadata().getDeletionTimestamp() != null;
    if (deleting || stopSince != null) {
      return stop();
    }
    if (result != null) {
      return publish();
    }
    Instant deadline = deadline();
    if (!Instant.now().isBefore(deadline)) {
      reason = "DeadlineExceeded";
      message = "Pod was active on the node longer than the specified deadline";
      return end("Failed");
    }
    String outcome = containers.result();
    Instant wakeAt = Instant.MAX;
    if (outcome == null) {
      wakeAt = containers.drive();
      outcome = containers.result();
    }
    if (outcome != null) {
      return end(outcome);
    }
    return earliest(publish(), earliest(wakeAt, deadline));
  }

  /** Ends the rest (such as sidecars), then the pod with this result. */
  private Instant end(String outcome) {
    if (!containers.stopped()) {
      Instant since = stopSince == null ? Instant.now() : stopSince;
      containers.stop(since.plus(grace()));
      stopSince = since;
      return earliest(publish(), since.plus(grace()));
    }
    stopSince = null;
    result = outcome;
    return publish();
  }

  private Instant stop() {
    Instant since = stopSince;
    if (since == null) {
      since = Instant.now();
      stopSince = since;
    }
    boolean deleting = gone || pod.getMetadata().getDeletionTimestamp() != null;
    Instant forceAt = since.plus(grace());
    if (!containers.stopped()) {
      containers.stop(forceAt);
      Instant next = Instant.now().isBefore(forceAt) ? forceAt : Instant.now().plus(RETRY);
      return earliest(publish(), next);
    }
    if (result == null) {
      if (deleting) {
        containers.giveUp();
      }
      result = reason != null ? "Failed" : containers.exitResult();
    }
    Instant next = publish();
    if (!deleting) {
      stopSince = null;
      return next;
    }
    if (!gone && node.connected().getAsBoolean()) {
      try {
        node.api().delete(pod);
        over = true;
      } catch (KubernetesClientException e) {
        return Instant.now().plus(RETRY);
      }
    }
    over |= gone;
    return next;
  }

  private Instant publish() {
    Instant next = Instant.now().plus(LONGEST_SLEEP);
    if (silent || gone || halted || !node.connected().getAsBoolean()) {
      return next;
    }
    String phase = result != null ? result : containers.started() ? "Running" : "Pending";
    PodStatusView.Facts facts =
        new PodStatusView.Facts(
            phase, reason, message, node.addresses().addressOf(pod), startTime, containers.runs());
    try {
      Optional<Pod> stored =
          node.api().writeStatus(pod, known -> PodStatusView.of(known, facts, Instant.now()));
      if (stored.isPresent()) {
        keepLatest(stored.get());
      } else {
        gone = true;
        return Instant.now();
      }
    } catch (KubernetesClientException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "Status of pod {0} not written: {1}",
          pod.getMetadata().getName(),
          e.getMessage());
      return Instant.now().plus(RETRY);
    }
    return next;
  }

  private synchronized void keepLatest(Pod seen) {
    if (version(seen) >= version(pod)) {
      pod = seen;
    }
  }

  private Duration grace() {
    if (gone) {
      return GRACE_WHEN_GONE;
    }
    Long deletion = pod.getMetadata().getDeletionGracePeriodSeconds();
    if (deletion != null) {
      return Duration.ofSeconds(deletion);
    }
    Long asked = pod.getSpec().getTerminationGracePeriodSeconds();
    return asked == null ? DEFAULT_GRACE : Duration.ofSeconds(asked);
  }

  private Instant deadline() {
    Long seconds = pod.getSpec().getActiveDeadlineSeconds();
    return seconds == null ? Instant.MAX : startTime.plusSeconds(seconds);
  }

  private void sleepUntil(Instant next) {
    try {
      Duration pause =
          Duration.between(Instant.now(), earliest(next, Instant.now().plus(LONGEST_SLEEP)));
      if (!over && !halted) {
        requeueAt.tryAcquire(Math.max(1, pause.toMillis()), TimeUnit.MILLISECONDS);
        requeueAt.drainPermits();
      }
    } catch (InterruptedException e) {
      halted = true;
      Thread.currentThread().interrupt();
    }
  }

  private static boolean ended(@Nullable PodStatus status) {
    String phase = status == null ? null : status.getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private static Instant earliest(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static long version(Pod pod) {
    return Long.parseLong(pod.getMetadata().getResourceVersion());
  }
}
