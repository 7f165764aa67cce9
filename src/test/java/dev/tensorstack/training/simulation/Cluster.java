package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The API server's store with its versions and its watches' events, and the nodes. */
final class Cluster {

  static final List<String> NODES = List.of("n1", "n2", "n3");

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
  final List<Map<String, Instant>> nodeEvents = new ArrayList<>();
  boolean service;

  private final Map<String, SimulatedPod> everCreated = new LinkedHashMap<>();
  private final Trace trace;
  private Map<String, Instant> lostNodes = Map.of();
  private Instant now = JobVersion.CREATED;
  private long version;
  private int uids;

  Cluster(PyTorchTrainingJobSpec spec, Trace trace) {
    this.trace = trace;
    nodeEvents.add(lostNodes);
    jobEvents.add(JobVersion.of(++version, 1, spec, null, true));
  }

  Instant now() {
    return now;
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

  /** It does not run: it has ended, or is on a lost node and has been told to stop. */
  boolean isGone(SimulatedPod pod) {
    return pod.ended() || (pod.deleting() && isLost(pod));
  }

  /** The pods that the status lists as present, as far as they exist. */
  List<SimulatedPod> presentPods() {
    List<SimulatedPod> present = new ArrayList<>();
    job()
        .ledger()
        .slots()
        .forEach(
            (id, slot) -> {
              SimulatedPod pod =
                  pods.get(JobVersion.NAMES.pod(id.type(), id.index(), slot.earlierPods()));
              if (pod != null && pod.uid.equals(slot.uid())) {
                present.add(pod);
              }
            });
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

  void edit(PyTorchTrainingJobSpec spec) {
    JobVersion old = job();
    trace.say(() -> "user: " + spec.runMode() + " " + spec.runPolicy() + " " + spec.elastic());
    jobEvents.add(JobVersion.of(++version, old.generation() + 1, spec, old.status(), true));
  }

  /** Stores a status. */
  JobVersion store(PyTorchTrainingJobStatus status, long basedOn) throws Conflict {
    JobVersion old = job();
    if (!old.exists() || old.version() != basedOn) {
      throw new Conflict();
    }
    jobEvents.add(JobVersion.of(++version, old.generation(), old.spec(), status, true));
    return job();
  }

  void deleteJob() {
    JobVersion old = job();
    jobEvents.add(JobVersion.of(++version, old.generation(), old.spec(), old.status(), false));
    // Garbage collection.
    for (SimulatedPod pod : List.copyOf(pods.values())) {
      delete(pod, true);
    }
  }

  /** Stores a new pod; null when one of that name exists. */
  SimulatedPod create(PlannedAction.CreatePod create, boolean unanswered, boolean senderLives) {
    if (pods.containsKey(create.name())) {
      return null;
    }
    SimulatedPod pod =
        new SimulatedPod(
            create, "uid-" + uids++, now, unanswered, !senderLives && isOutdated(create));
    pods.put(pod.name, pod);
    everCreated.put(pod.uid, pod);
    changed(pod);
    return pod;
  }

  /** What was asked for has been had and replaced, as the status says. */
  private boolean isOutdated(PlannedAction.CreatePod create) {
    Ledger.Slot slot = job().ledger().slots().get(create.replica());
    return slot != null && (slot.earlierPods() != create.earlierPods() || slot.uid() != null);
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

  void remove(SimulatedPod pod) {
    trace.say(() -> "cluster: gone: " + pod);
    pods.remove(pod.name);
    podEvents.add(new PodVersion(++version, pod.name, null, pod.truth()));
  }

  void lose(String node) {
    trace.say(() -> "cluster: node lost: " + node);
    Map<String, Instant> next = new HashMap<>(lostNodes);
    next.putIfAbsent(node, SimulatedPod.second(now));
    lostNodes = Map.copyOf(next);
    nodeEvents.add(lostNodes);
  }

  void bringBack(String node) {
    trace.say(() -> "cluster: node back: " + node);
    Map<String, Instant> next = new HashMap<>(lostNodes);
    Instant since = next.remove(node);
    for (SimulatedPod pod : pods.values()) {
      if (since != null && node.equals(pod.node()) && LivePods.isGivenUp(since, now)) {
        pod.giveUp();
      }
    }
    lostNodes = Map.copyOf(next);
    nodeEvents.add(lostNodes);
  }

  PodVersion present(SimulatedPod pod) {
    return pod.version(version);
  }
}
