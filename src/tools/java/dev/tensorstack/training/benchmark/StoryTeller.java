package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets the pods of jobs fail and end as their stories say, and watches that no pod is doubled. */
final class StoryTeller implements SwiftKubelet.Listener, AutoCloseable {

  private static final int VICTIM = 1;
  private static final long LOOK_MILLIS = 100;

  private final String namespace;
  private final Api api;
  private final JobDesk desk;
  private final Map<String, Story> stories = new ConcurrentHashMap<>();
  private final Map<String, Integer> steps = new ConcurrentHashMap<>();
  private final Map<String, List<PodLife>> pods = new ConcurrentHashMap<>();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread worker = new Thread(task, "story-teller");
            worker.setDaemon(true);
            return worker;
          });
  private @Nullable SwiftKubelet kubelet;

  StoryTeller(String namespace, Api api, JobDesk desk) {
    this.namespace = namespace;
    this.api = api;
    this.desk = desk;
  }

  /** Begins; the kubelet is the one that this listens to. */
  void begin(SwiftKubelet node) {
    kubelet = node;
    var unused =
        thread.scheduleWithFixedDelay(
            this::tellAll, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Submits jobs with their stories. */
  void submit(Map<String, Story> jobs) {
    stories.putAll(jobs);
    for (StoryKind kind : StoryKind.values()) {
      Map<String, String> manifests = new java.util.LinkedHashMap<>();
      jobs.forEach(
          (name, story) -> {
            if (story.plot().kind() == kind) {
              manifests.put(name, story.manifest(name));
            }
          });
      List<JobLife> unused = desk.submit(kind.resource(), namespace, manifests);
    }
  }

  /** What must not have happened. */
  List<String> violations() {
    return List.copyOf(violations);
  }

  Map<String, Story> stories() {
    return stories;
  }

  /** All pods that a job ever had. */
  List<PodLife> pods(String job) {
    return List.copyOf(pods.getOrDefault(job, List.of()));
  }

  @Override
  public void created(PodLife pod) {
    List<PodLife> before =
        pods.computeIfAbsent(pod.job, any -> new java.util.concurrent.CopyOnWriteArrayList<>());
    Story story = stories.get(pod.job);
    boolean reused = story != null && story.plot().kind().reusesPodNames();
    for (PodLife other : before) {
      if (!reused && other.name.equals(pod.name)) {
        violations.add("pod " + pod.name + " was created twice");
      } else if (other.replica().equals(pod.replica()) && other.live()) {
        violations.add(
            "pod " + pod.name + " was created while " + other.name + " of the same index lived");
      }
    }
    before.add(pod);
  }

  private void tellAll() {
    try {
      stories.forEach(this::tell);
    } catch (RuntimeException problem) {
      violations.add("the benchmark itself: " + problem);
    }
  }

  private void tell(String job, Story story) {
    List<PodLife> running =
        pods(job).stream().filter(pod -> pod.live() && pod.running != 0).toList();
    if (running.size() < story.plot().pods()) {
      return;
    }
    int step = steps.getOrDefault(job, 0);
    PodLife victim =
        running.stream()
            .filter(pod -> !pod.isMaster() && pod.index == VICTIM)
            .findFirst()
            .orElseThrow();
    SwiftKubelet node = java.util.Objects.requireNonNull(kubelet);
    if (step < story.plot().ends().size()) {
      steps.put(job, step + 1);
      node.end(List.of(victim), story.plot().ends().get(step));
    } else if (story.plot().deletion() && step == 0) {
      // Only a pod that the status has listed is missed when it is gone.
      if (story.plot().kind().lists(desk.job(namespace, job).status, victim.uid)) {
        steps.put(job, step + 1);
        Api.Answer unused =
            api.delete(
                "/api/v1/namespaces/" + namespace + "/pods/" + victim.name,
                "{\"gracePeriodSeconds\":0}");
      }
    } else {
      node.end(running.stream().filter(pod -> !pod.isMaster()).toList(), SwiftKubelet.End.SUCCESS);
      node.end(running.stream().filter(PodLife::isMaster).toList(), SwiftKubelet.End.SUCCESS);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
