package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The API server's store with its versions and its watches' events, and the nodes. */
final class Cluster {

  private static final List<String> FIRST_NODES = List.of("n1", "n2", "n3");

  /** An API object changed its resourceVersion in between. */
  static final class Conflict extends Exception {
    private static final long serialVersionUID = 1;

    Conflict() {
      super("409", null, false, false);
    }
  }

  final Map<String, SimulatedPod> pods = new TreeMap<>();
  final List<PodVersion> podEvents = new ArrayList<>();
  final List<JobVersion> jobEvents = new ArrayList<>();
  final List<Nodes> nodeEvents = new ArrayList<>();
  final List<String> nodes = new ArrayList<>(FIRST_NODES);

  /** The uids of the Services, by name. */
  final Map<String, String> services = new TreeMap<>();

  /** The uids of those that a watch of an operator has shown. */
  final Set<String> shownServices = new HashSet<>();

  private final Map<String, SimulatedPod> everCreated = new LinkedHashMap<>();
  private final Set<String> everLost = new HashSet<>();
  final Duration plainFailureGrace;
  private final Trace trace;
  private Map<String, Instant> lostNodes = Map.of();
  private Instant now = JobVersion.CREATED;
  private long version;
  private int uids;

  /**
   * @param plainFailureGrace how long the operator lets pods without torchrun take after one has
   *     failed
   */
  Cluster(SimulatedJob job, Duration plainFailureGrace, Trace trace) {
    this.plainFailureGrace = plainFailureGrace;
    this.trace = trace;
    nodesChanged();
    jobEvents.add(new JobVersion(++version, 1, job, true, Stated.NOTHING));
  }

  Instant now() {
    return now;
  }

  /** How long the other pods may take after one has failed. */
  Duration failureGrace(boolean torchrun) {
    return torchrun ? Contract.FAILURE_GRACE : plainFailureGrace;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  JobVersion job() {
    return jobEvents.get(jobEvents.size() - 1);
  }

  Map<String, Instant> lostNodes() {
    return lostNodes;
  }

  boolean isLost(SimulatedPod pod) {
    return pod.node() != null && lostNodes.containsKey(pod.node());
  }

  /** Its node was lost at some time, and a cache may say so still. */
  boolean wasLost(SimulatedPod pod) {
    return everLost.contains(pod.node());
  }

  /** It does not run: it has ended, or is on a lost node and has been told to stop. */
  boolean isGone(SimulatedPod pod) {
    return pod.ended() || (pod.deleting() && isLost(pod));
  }

  /** The pods that the status lists as present, as far as they exist. */
  List<SimulatedPod> presentPods() {
    List<SimulatedPod> present = new ArrayList<>();
    for (Stated.Entry entry : job().stated().replicas().values()) {
      SimulatedPod pod = pods.get(entry.name());
      if (pod != null && pod.uid.equals(entry.uid())) {
        present.add(pod);
      }
    }
    return present;
  }

  /** All pods there ever were, in the order of their creation. */
  Collection<SimulatedPod> everCreated() {
    return everCreated.values();
  }

  /** A pod, also one that is no more. */
  SimulatedPod everCreated(String uid) {
    return everCreated.get(uid);
  }

  void edit(SimulatedJob edited) {
    JobVersion old = job();
    trace.say(() -> "user: " + edited.wishes());
    jobEvents.add(new JobVersion(++version, old.generation() + 1, edited, true, old.stated()));
  }

  /** Stores a status. */
  JobVersion store(SimulatedJob next, Stated stated, long basedOn) throws Conflict {
    JobVersion old = job();
    if (!old.exists() || old.version() != basedOn) {
      throw new Conflict();
    }
    jobEvents.add(new JobVersion(++version, old.generation(), next, true, stated));
    return job();
  }

  void deleteJob() {
    JobVersion old = job();
    jobEvents.add(new JobVersion(++version, old.generation(), old.resource(), false, old.stated()));
    // Garbage collection.
    services.clear();
    for (SimulatedPod pod : List.copyOf(pods.values())) {
      delete(pod, true);
    }
  }

  /** Stores a new pod; null when one of that name exists. */
  SimulatedPod create(
      PlannedAction.CreatePod create, JobVersion of, boolean unanswered, boolean senderLives) {
    if (pods.containsKey(create.name())) {
      return null;
    }
    SimulatedPod pod =
        new SimulatedPod(
            create,
            of.resource().traits(create.replica()),
            "uid-" + uids++,
            now,
            unanswered,
            !senderLives && isOutdated(create));
    pods.put(pod.name, pod);
    everCreated.put(pod.uid, pod);
    changed(pod);
    return pod;
  }

  /**
   * What was asked for has been had and replaced, as the status says, perhaps of a replica that
   * scaling has taken away since.
   */
  private boolean isOutdated(PlannedAction.CreatePod create) {
    Stated stated = job().stated();
    Stated.Entry entry = stated.replicas().get(create.replica());
    return entry == null
        ? stated.removed().getOrDefault(create.replica(), 0) > create.earlierPods()
        : entry.earlier() != create.earlierPods() || entry.uid() != null;
  }

  /** A change of a pod's status is stored. */
  void changed(SimulatedPod pod) {
    trace.say(() -> "cluster: " + pod);
    podEvents.add(pod.version(++version));
  }

  /** Asks for a pod's deletion, as the API server does it: at once where nothing has to stop. */
  void delete(SimulatedPod pod, boolean byOperator) {
    boolean first = !pod.deleting();
    pod.delete(now, byOperator);
    if (pod.ended() || pod.node() == null) {
      remove(pod);
    } else if (first) {
      changed(pod);
    }
  }

  /**
   * The scheduler, a drain or a taint: first the condition, then, in a request of its own, the end.
   */
  void evict(SimulatedPod pod, String word) {
    pod.target(word, now);
    if (pod.ended()) {
      changed(pod);
    }
    delete(pod, false);
  }

  void remove(SimulatedPod pod) {
    trace.say(() -> "cluster: gone: " + pod);
    pods.remove(pod.name);
    pod.gone(now);
    podEvents.add(new PodVersion(++version, pod.name, null, pod.truth()));
  }

  void lose(String node) {
    trace.say(() -> "cluster: node lost: " + node);
    Map<String, Instant> next = new HashMap<>(lostNodes);
    next.putIfAbsent(node, SimulatedPod.second(now));
    everLost.add(node);
    for (SimulatedPod pod : pods.values()) {
      if (node.equals(pod.node())) {
        pod.lost(SimulatedPod.second(now));
      }
    }
    lostNodes = Map.copyOf(next);
    nodesChanged();
  }

  /** An administrator says that a lost node will not come back as it was. */
  void takeOutOfService(String node) {
    trace.say(() -> "cluster: node out of service: " + node);
    Map<String, Instant> next = new HashMap<>(lostNodes);
    next.put(node, Instant.EPOCH);
    lostNodes = Map.copyOf(next);
    nodesChanged();
  }

  /** A new node. */
  void join() {
    String node = "n" + (nodes.size() + 1);
    trace.say(() -> "cluster: node joins: " + node);
    nodes.add(node);
    nodesChanged();
  }

  void bringBack(String node) {
    trace.say(() -> "cluster: node back: " + node);
    Map<String, Instant> next = new HashMap<>(lostNodes);
    Instant since = next.remove(node);
    for (SimulatedPod pod : pods.values()) {
      if (since != null && node.equals(pod.node()) && LivePods.isGivenUp(since, pod, now)) {
        pod.giveUp();
      }
    }
    lostNodes = Map.copyOf(next);
    nodesChanged();
  }

  private void nodesChanged() {
    nodeEvents.add(new Nodes(Set.copyOf(nodes), lostNodes));
  }

  PodVersion present(SimulatedPod pod) {
    return pod.version(version);
  }
}
