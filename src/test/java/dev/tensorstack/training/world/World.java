package dev.tensorstack.training.world;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.GangWakes;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.CurrentReplicas;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.plan.Planner;
import dev.tensorstack.training.core.plan.QueueState;
import dev.tensorstack.training.core.pod.QueuePlace;
import dev.tensorstack.training.core.pod.TorchrunPods;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.StatusRendering;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A job and its pods without a cluster; {@link #step} is one reconciliation that always works. */
public final class World {

  private static final int SIGTERM = 143;

  /** Where all time begins in the tests. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** The uid of the job. */
  public static final String UID = "422e8cc7-163f-4d49-9fb8-d059e490a09b";

  private final TreeMap<String, ObservedPod> pods = new TreeMap<>();
  private final Planner planner;
  private PyTorchTrainingJobSpec spec;
  private @Nullable PyTorchTrainingJobStatus status;
  private RefusedWrites refused = RefusedWrites.NONE;
  private final TreeMap<String, GenericKubernetesResource> dependents = new TreeMap<>();
  private @Nullable ObjectKind podGroupKind;
  private @Nullable JobQueue queue;
  private @Nullable ObjectKind queueKind;
  private @Nullable QueueFacts queueFacts = QueueFacts.NONE;
  private Set<ObjectKind> unknownKinds = Set.of();
  private GangFacts gangFacts = GangFacts.NONE;
  private GangWakes gangWakes = GangWakes.NONE;
  private final Set<String> services = new HashSet<>();
  private JobNaming names = JobNames.of("ns", "mnist", UID);
  private JobTraits traits = TorchrunPods.WITH_MASTER;
  private PodNotes notes = PodNotes.NONE;
  private Instant now = START;
  private int nextUid;
  private boolean slowEnds;

  /**
   * A world with one job, named mnist.
   *
   * @param specYaml its spec
   */
  public World(String specYaml) {
    this(specYaml, Duration.ZERO);
  }

  /**
   * A world with one job, named mnist.
   *
   * @param specYaml its spec
   * @param plainFailureGrace how long pods without torchrun may take after one has failed
   */
  public World(String specYaml, Duration plainFailureGrace) {
    spec = spec(specYaml);
    services.add(names.service());
    planner =
        new Planner(
            new PlanSettings(
                new RestartDelay(Duration.ofSeconds(10), Duration.ofMinutes(5)),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                plainFailureGrace,
                new DisruptionDelay(Duration.ofSeconds(30))));
  }

  /**
   * Reads a spec.
   *
   * @param yaml a spec as a user writes it
   * @return the spec with its defaults
   */
  public static PyTorchTrainingJobSpec spec(String yaml) {
    return new Defaulter(AcceleratorResources.DEFAULT)
        .complete(Serialization.unmarshal("---\n" + yaml, PyTorchTrainingJobSpec.class));
  }

  /**
   * Reads a spec as the engine does.
   *
   * @param yaml a spec as a user writes it
   * @return the model
   */
  public static JobSpec model(String yaml) {
    return SpecReader.read(spec(yaml), Map.of());
  }

  /**
   * A spec of one type.
   *
   * @param replicas pods of type worker
   * @param restartPolicy the restart policy
   * @return YAML
   */
  public static String workers(int replicas, String restartPolicy) {
    return """
        replicaSpecs:
        - type: worker
          replicas: %d
          restartPolicy: %s
          template:
            spec:
              containers:
              - name: pytorch
                image: registry.example/train:1
                command: [python, train.py]
        """
        .formatted(replicas, restartPolicy);
  }

  /**
   * Makes the job one of another kind; nothing of it has begun, and it has no Service yet.
   *
   * @param kind in what it differs
   * @param naming the names of what belongs to it
   * @return this world
   */
  public World like(JobTraits kind, JobNaming naming) {
    traits = kind;
    names = naming;
    services.clear();
    return this;
  }

  /**
   * The job as it is now.
   *
   * @return the job
   */
  public TrainingJob job() {
    return new TrainingJob(
        TrainingJobKind.KIND,
        names,
        new TrainingJobLabels("mnist", UID),
        "ns",
        "mnist",
        UID,
        1,
        START,
        false,
        ofThisKind(SpecReader.read(spec, Map.of())),
        StatusReader.ledger(status, names),
        StatusReader.summary(status));
  }

  /**
   * What is seen now.
   *
   * @return the observation; the Service of all pods exists
   */
  public Observation observe() {
    return new Observation(
        job(),
        List.copyOf(pods.values()),
        existing(services),
        Set.of(),
        refused,
        new ObservedDependents(
                List.copyOf(dependents.values()), podGroupKind, unknownKinds, Set.of())
            .with(queueKind, queueKind == null ? null : queueFacts)
            .with(gangFacts)
            .with(gangWakes),
        notes);
  }

  private JobSpec ofThisKind(JobSpec read) {
    return new JobSpec(
        read.types(),
        read.torchrun(),
        read.elastic(),
        read.autoscaling(),
        read.debug(),
        read.pause(),
        read.runPolicy(),
        read.scheduler(),
        queue,
        read.tensorboard(),
        traits);
  }

  /**
   * Services that exist.
   *
   * @param names their names
   * @return the Services, with uids made from their names
   */
  public static ObservedServices existing(Collection<String> names) {
    return new ObservedServices(
        names.stream().collect(Collectors.toMap(name -> name, name -> "uid-of-" + name)), Set.of());
  }

  /**
   * Plans without doing anything.
   *
   * @return the plan
   */
  public Plan plan() {
    return plan(observe());
  }

  /**
   * Plans for another observation than that of this world.
   *
   * @param seen what is seen
   * @return the plan
   */
  public Plan plan(Observation seen) {
    return planner.plan(seen, Rules.check(new RuleContext<>("mnist", spec, null)), now);
  }

  /**
   * Plans, stores the status, carries the actions out.
   *
   * @return the plan
   */
  public Plan step() {
    Observation seen = observe();
    Plan plan = plan(seen);
    status = report(seen, plan);
    CurrentReplicas replicas = plan.current();
    QueuePlace place = replicas == null ? null : QueueState.of(seen).place(replicas);
    for (PlannedAction action : plan.actions()) {
      if (action instanceof PlannedAction.CreatePod create) {
        add(create, place);
      } else if (action instanceof PlannedAction.DeletePod delete) {
        pods.compute(
            delete.name(), (name, pod) -> pod == null || !slowEnds ? null : deleted(pod, now));
      } else if (action instanceof PlannedAction.EndPod end) {
        pods.computeIfPresent(
            end.name(),
            (name, pod) ->
                slowEnds ? pod : with(pod, ObservedPod.Phase.FAILED, terminated(SIGTERM)));
      } else if (action instanceof PlannedAction.CreateService create) {
        services.add(create.name());
      } else if (action instanceof PlannedAction.ApplyDependent apply) {
        apply.object().getMetadata().setUid("uid-" + nextUid++);
        apply.object().getMetadata().setResourceVersion(String.valueOf(nextUid));
        dependents.put(ObservedDependents.key(apply.object()), apply.object());
      } else if (action instanceof PlannedAction.WriteStatus write) {
        write(
            Objects.requireNonNull(
                dependents.get(ObservedDependents.key(write.kind(), write.name()))),
            write.status());
      } else if (action instanceof PlannedAction.WakeGang wake) {
        gangWakes = new GangWakes(wake.at(), gangWakes.room());
      } else if (action instanceof PlannedAction.DeleteDependent delete) {
        dependents.remove(ObservedDependents.key(delete.kind(), delete.name()));
        services.remove(delete.name());
      }
    }
    return plan;
  }

  /**
   * Somebody writes fields of an object's status.
   *
   * @param object the object
   * @param fields the fields; null for one that is to go
   */
  public static void write(GenericKubernetesResource object, Map<String, Object> fields) {
    Map<String, Object> merged = new HashMap<>();
    if (object.getAdditionalProperties().get("status") instanceof Map<?, ?> before) {
      before.forEach((field, value) -> merged.put(String.valueOf(field), value));
    }
    merged.putAll(fields);
    merged.values().removeIf(Objects::isNull);
    object.setAdditionalProperty("status", merged);
  }

  /**
   * The status that follows from a plan; nothing is stored.
   *
   * @param seen what is seen
   * @param plan what is planned
   * @return the status
   */
  public PyTorchTrainingJobStatus report(Observation seen, Plan plan) {
    return StatusRendering.of(job(), JobReport.of(seen, plan), status, now);
  }

  private void add(PlannedAction.CreatePod create, @Nullable QueuePlace place) {
    QueueEntry entry = place == null ? null : place.entries().get(create.replica());
    pods.put(
        create.name(),
        new ObservedPod(
            create.name(),
            "uid-" + nextUid++,
            create.replica(),
            create.earlierPods(),
            create.attempt(),
            create.mode(),
            ObservedPod.Phase.PENDING,
            false,
            null,
            null,
            null,
            now,
            null,
            null,
            null,
            false,
            null,
            null,
            List.of(),
            null,
            null,
            entry == null ? null : entry.object().getMetadata().getUid(),
            place == null ? Map.of() : place.placeOf(create.replica())));
  }

  /**
   * Steps until nothing is left to do at this moment.
   *
   * @return the last status
   */
  public PyTorchTrainingJobStatus settle() {
    for (int i = 0; i < 20; i++) {
      PyTorchTrainingJobStatus before = status;
      if (step().actions().isEmpty() && Objects.requireNonNull(status).equals(before)) {
        return status;
      }
    }
    throw new AssertionError("the job does not come to rest: " + status);
  }

  /** From now on, pods that are deleted take their time to end: {@link #vanish} ends them. */
  public void podsEndSlowly() {
    slowEnds = true;
  }

  /** Lets all pending pods run. */
  public void allRun() {
    pods.replaceAll(
        (name, pod) ->
            pod.phase() == ObservedPod.Phase.PENDING
                ? with(pod, ObservedPod.Phase.RUNNING, running())
                : pod);
  }

  /**
   * Ends a pod.
   *
   * @param type the replica's type
   * @param index the replica's index
   * @param exitCode the exit code of its container
   */
  public void exit(String type, int index, int exitCode) {
    ReplicaId replica = new ReplicaId(type, index);
    pods.replaceAll(
        (name, pod) ->
            pod.replica().equals(replica) && pod.live()
                ? with(
                    pod,
                    exitCode == 0 ? ObservedPod.Phase.SUCCEEDED : ObservedPod.Phase.FAILED,
                    terminated(exitCode))
                : pod);
  }

  /**
   * Ends a pod badly, with last words.
   *
   * @param type the replica's type
   * @param index the replica's index
   * @param exitCode the exit code of its container
   * @param message its termination message
   */
  public void exit(String type, int index, int exitCode, String message) {
    ReplicaId replica = new ReplicaId(type, index);
    pods.replaceAll(
        (name, pod) ->
            pod.replica().equals(replica) && pod.live()
                ? with(pod, ObservedPod.Phase.FAILED, terminated(exitCode, message))
                : pod);
  }

  /**
   * Lets the pending pod of one replica run.
   *
   * @param type the replica's type
   * @param index the replica's index
   */
  public void run(String type, int index) {
    pods.replaceAll(
        (name, pod) ->
            pod.replica().equals(new ReplicaId(type, index))
                    && pod.phase() == ObservedPod.Phase.PENDING
                ? with(pod, ObservedPod.Phase.RUNNING, running())
                : pod);
  }

  /**
   * A replica's pod runs since now, as one does that replaced another.
   *
   * @param type the replica's type
   * @param index the replica's index
   */
  public void restarted(String type, int index) {
    pods.replaceAll(
        (name, pod) ->
            pod.replica().equals(new ReplicaId(type, index)) && pod.live()
                ? changed(pod, pod.deleting(), pod.deletionRequestedAt(), pod.readySince(), now)
                : pod);
  }

  /**
   * The same pod, being deleted.
   *
   * @param pod any pod
   * @param since when its deletion was asked for
   * @return the pod
   */
  public static ObservedPod deleted(ObservedPod pod, Instant since) {
    return changed(pod, true, since, pod.readySince(), pod.runningSince());
  }

  /**
   * The same pod on a node, in another phase.
   *
   * @param pod any pod
   * @param phase its phase
   * @param containers its containers
   * @return the pod
   */
  public static ObservedPod in(
      ObservedPod pod, ObservedPod.Phase phase, List<ObservedContainer> containers) {
    return with(pod, phase, containers);
  }

  /**
   * The same pod, ready or not.
   *
   * @param pod any pod
   * @param since since when it is ready, or null when it is not
   * @return the pod
   */
  public static ObservedPod ready(ObservedPod pod, @Nullable Instant since) {
    return changed(pod, pod.deleting(), pod.deletionRequestedAt(), since, pod.runningSince());
  }

  /**
   * The same pod, which the scheduler, a drain or a taint takes away.
   *
   * @param pod any pod
   * @param since since when its DisruptionTarget condition is true
   * @return the pod
   */
  public static ObservedPod disrupted(ObservedPod pod, Instant since) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        pod.phase(),
        pod.deleting(),
        pod.deletionRequestedAt(),
        pod.node(),
        pod.lostSince(),
        pod.createdAt(),
        pod.reason(),
        pod.message(),
        pod.unschedulable(),
        pod.gated(),
        "EvictionByEvictionAPI: Eviction API: evicting",
        since,
        pod.containers(),
        pod.readySince(),
        pod.runningSince(),
        pod.queueEntry(),
        pod.nodeSelector());
  }

  /**
   * The garbage collector takes its entry in a queue from a pod's owners.
   *
   * @param type its type
   * @param index its index
   */
  public void disown(String type, int index) {
    pods.replaceAll(
        (name, pod) -> pod.replica().equals(new ReplicaId(type, index)) ? ofEntry(pod, null) : pod);
  }

  /**
   * A pod that uses another share of its job's queue.
   *
   * @param pod any pod
   * @param entry the uid of the entry; null for none
   * @return the pod
   */
  public static ObservedPod ofEntry(ObservedPod pod, @Nullable String entry) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        pod.phase(),
        pod.deleting(),
        pod.deletionRequestedAt(),
        pod.node(),
        pod.lostSince(),
        pod.createdAt(),
        pod.reason(),
        pod.message(),
        pod.unschedulable(),
        pod.gated(),
        pod.disruption(),
        pod.disruptedAt(),
        pod.containers(),
        pod.readySince(),
        pod.runningSince(),
        entry,
        pod.nodeSelector());
  }

  /**
   * A pod's readiness probes fail.
   *
   * @param type its type
   * @param index its index
   */
  public void unready(String type, int index) {
    pods.replaceAll(
        (name, pod) ->
            pod.replica().equals(new ReplicaId(type, index))
                ? changed(pod, pod.deleting(), pod.deletionRequestedAt(), null, pod.runningSince())
                : pod);
  }

  /**
   * The same pod, for which its scheduler has no place.
   *
   * @param pod any pod
   * @param why what the scheduler says, or null
   * @return the pod
   */
  public static ObservedPod unschedulable(ObservedPod pod, @Nullable String why) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        0,
        0,
        pod.mode(),
        pod.phase(),
        false,
        null,
        null,
        null,
        pod.createdAt(),
        null,
        null,
        why,
        false,
        null,
        null,
        List.of(),
        null,
        null,
        null,
        Map.of());
  }

  private static ObservedPod changed(
      ObservedPod pod,
      boolean deleting,
      @Nullable Instant deletionRequestedAt,
      @Nullable Instant readySince,
      @Nullable Instant runningSince) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        pod.phase(),
        deleting,
        deletionRequestedAt,
        pod.node(),
        pod.lostSince(),
        pod.createdAt(),
        pod.reason(),
        pod.message(),
        pod.unschedulable(),
        pod.gated(),
        pod.disruption(),
        pod.disruptedAt(),
        pod.containers(),
        readySince,
        runningSince,
        pod.queueEntry(),
        pod.nodeSelector());
  }

  /**
   * Replaces a pod's observation.
   *
   * @param pod the pod as it shall be seen
   */
  public void see(ObservedPod pod) {
    pods.put(pod.name(), pod);
  }

  /**
   * Takes a pod away, as somebody else may do.
   *
   * @param name the pod's name
   */
  public void vanish(String name) {
    pods.remove(name);
  }

  /**
   * The API server has refused writes.
   *
   * @param refusals all that are remembered; none when it accepts everything again
   */
  public void refuse(WriteFailure... refusals) {
    refused = RefusedWrites.of(List.of(refusals));
  }

  /**
   * The user edits the spec.
   *
   * @param yaml the new spec
   */
  public void edit(String yaml) {
    spec = spec(yaml);
  }

  /**
   * Somebody edits the status.
   *
   * @param json the whole new status
   */
  public void store(String json) {
    status = Serialization.unmarshal(json, PyTorchTrainingJobStatus.class);
  }

  /**
   * The objects beside the pods.
   *
   * @return what exists, by {@link ObservedDependents#key}; can be changed
   */
  public Map<String, GenericKubernetesResource> dependents() {
    return dependents;
  }

  /**
   * The cluster begins, or ceases, to serve a kind of PodGroup.
   *
   * @param kind the kind, or null
   */
  public void serve(@Nullable ObjectKind kind) {
    podGroupKind = kind;
  }

  /**
   * The job waits in a queue.
   *
   * @param of the queue
   * @param kind the kind of entry that the cluster serves; null when it serves none
   * @param facts what the cluster says of queues; null when that is not known
   * @return this world
   */
  public World inQueue(JobQueue of, @Nullable ObjectKind kind, @Nullable QueueFacts facts) {
    queue = of;
    queueKind = kind;
    queueFacts = facts;
    return this;
  }

  /** The job's label is taken off: it waits in no queue any more. */
  public void leaveQueue() {
    queue = null;
  }

  /**
   * It is not known whether the cluster serves some kinds.
   *
   * @param kinds the kinds
   */
  public void doNotKnow(List<ObjectKind> kinds) {
    unknownKinds = Set.copyOf(kinds);
  }

  /**
   * The cluster says something about the job's PodGroup.
   *
   * @param known what
   */
  public void say(GangFacts known) {
    gangFacts = known;
  }

  /**
   * What is seen of room in the cluster, and of wakes.
   *
   * @param seen what
   */
  public void see(GangWakes seen) {
    gangWakes = seen;
  }

  /**
   * Something is known of pods that is not in them.
   *
   * @param known what
   */
  public void note(PodNotes known) {
    notes = known;
  }

  /**
   * Time passes.
   *
   * @param time how much
   */
  public void pass(Duration time) {
    now = now.plus(time);
  }

  /**
   * The time now.
   *
   * @return the moment
   */
  public Instant now() {
    return now;
  }

  /**
   * The status as last stored, if there is one.
   *
   * @return the status, or null
   */
  public @Nullable PyTorchTrainingJobStatus stored() {
    return status;
  }

  /**
   * The status as last stored.
   *
   * @return the status
   */
  public PyTorchTrainingJobStatus status() {
    return Objects.requireNonNull(status);
  }

  /**
   * The Services that give the pods their names.
   *
   * @return their names
   */
  public Set<String> services() {
    return Set.copyOf(services);
  }

  /**
   * All pods by name.
   *
   * @return the pods
   */
  public Map<String, ObservedPod> pods() {
    return pods;
  }

  /**
   * One pod.
   *
   * @param name the pod's name
   * @return the pod
   */
  public ObservedPod pod(String name) {
    return Objects.requireNonNull(pods.get(name), name);
  }

  private static List<ObservedContainer> running() {
    return List.of(
        new ObservedContainer(
            "pytorch", false, ObservedContainer.State.RUNNING, null, null, null, null, null));
  }

  private List<ObservedContainer> terminated(int exitCode) {
    return terminated(exitCode, null);
  }

  private List<ObservedContainer> terminated(int exitCode, @Nullable String message) {
    return List.of(
        new ObservedContainer(
            "pytorch",
            false,
            ObservedContainer.State.TERMINATED,
            exitCode == 0 ? "Completed" : "Error",
            message,
            exitCode,
            null,
            now));
  }

  /** The same pod on a node, in another phase. */
  private static ObservedPod with(
      ObservedPod pod, ObservedPod.Phase phase, List<ObservedContainer> containers) {
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        pod.earlierPods(),
        pod.attempt(),
        pod.mode(),
        phase,
        false,
        null,
        "n1",
        null,
        pod.createdAt(),
        null,
        null,
        null,
        false,
        null,
        null,
        containers,
        phase == ObservedPod.Phase.RUNNING ? pod.createdAt() : null,
        phase == ObservedPod.Phase.RUNNING ? pod.createdAt() : null,
        pod.queueEntry(),
        pod.nodeSelector());
  }
}
