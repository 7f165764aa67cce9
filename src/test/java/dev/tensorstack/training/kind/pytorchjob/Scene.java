package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNull;

import dev.tensorstack.training.core.naming.JobLabels;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.plan.Planner;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import dev.tensorstack.training.core.report.EventReport;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.JobTransition;
import dev.tensorstack.training.core.report.JobTransitions;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A PyTorchJob as the API server has it, with pods and Services, without a cluster. A step is one
 * reconciliation, in which every write is taken.
 */
final class Scene {

  private final PyTorchJobKind kind;
  private Planner planner = planner(Duration.ZERO);
  private final Map<String, Pod> pods = new TreeMap<>();
  private final Set<String> services = new HashSet<>();
  private final Map<String, GenericKubernetesResource> dependents = new TreeMap<>();
  private final List<JobEvent> events = new ArrayList<>();
  private final List<JobTransition> facts = new ArrayList<>();
  private final List<PlannedAction> actions = new ArrayList<>();
  private RefusedWrites refused = RefusedWrites.NONE;
  private PyTorchJob job;
  private Instant now = World.START;
  private @Nullable Instant broken;
  private int writes;
  private int nextUid;

  private Scene(PyTorchJob job, PyTorchJobSettings settings) {
    this.job = job;
    this.kind = new PyTorchJobKind(settings);
  }

  private static Planner planner(Duration plainFailureGrace) {
    return new Planner(
        new PlanSettings(
            new RestartDelay(Duration.ofSeconds(10), Duration.ofMinutes(5)),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            plainFailureGrace,
            new DisruptionDelay(Duration.ofSeconds(30))));
  }

  /** From now on a failure waits so long for the other pods, instead of not at all. */
  Scene plainFailureGrace(Duration grace) {
    planner = planner(grace);
    return this;
  }

  /** A job that nobody has looked at yet, named mnist. */
  static Scene of(String spec) {
    return of(spec, PyTorchJobSettings.PLAIN);
  }

  /** The same with other settings. */
  static Scene of(String spec, PyTorchJobSettings settings) {
    PyTorchJob job =
        Serialization.unmarshal(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata:
              {name: mnist, namespace: ns, uid: u-1, generation: 1, resourceVersion: "1",
               creationTimestamp: "2026-01-01T00:00:00Z"}
            """,
            PyTorchJob.class);
    Scene scene = new Scene(job, settings);
    scene.edit(spec);
    return scene;
  }

  /** A job as Kubeflow's operator has left it: a file of the folder {@code pytorchjob-takeover}. */
  static Scene taken(String name) {
    String file = "/pytorchjob-takeover/" + name + ".yaml";
    try (InputStream yaml = requireNonNull(Scene.class.getResourceAsStream(file), file)) {
      return new Scene(Serialization.unmarshal(yaml, PyTorchJob.class), PyTorchJobSettings.PLAIN);
    } catch (IOException unreadable) {
      throw new IllegalStateException(file, unreadable);
    }
  }

  /** The user edits the spec. */
  void edit(String spec) {
    job = job.copy();
    job.setSpec(Serialization.unmarshal("---\n" + spec, PyTorchJobSpec.class));
    job.getMetadata().setGeneration(job.getMetadata().getGeneration() + 1);
  }

  /** The job as it is stored. */
  PyTorchJob stored() {
    return job;
  }

  /** The job as the operator reads it. */
  TrainingJob read() {
    return kind.read(job);
  }

  /** The kind. */
  PyTorchJobKind kind() {
    return kind;
  }

  /** The stored status. */
  PyTorchJobStatus status() {
    return requireNonNull(job.getStatus());
  }

  /** The conditions in their order: type, status and reason. */
  List<String> conditions() {
    return requireNonNull(status().conditions()).stream()
        .map(one -> one.type() + " " + one.status() + " " + one.reason())
        .toList();
  }

  /** One of the conditions. */
  JobCondition condition(String type) {
    return requireNonNull(status().conditions()).stream()
        .filter(one -> type.equals(one.type()))
        .findFirst()
        .orElseThrow();
  }

  /** All that was told, in order: Warning or Normal, reason and message. */
  List<String> told() {
    return events.stream()
        .map(
            event ->
                (event.warning() ? "Warning " : "Normal ")
                    + event.reason()
                    + ": "
                    + event.message())
        .toList();
  }

  /** All that was told, in order. */
  List<JobEvent> events() {
    return List.copyOf(events);
  }

  /** The reasons of all that was told, in order. */
  List<String> reasons() {
    return events.stream()
        .map(event -> (event.warning() ? "Warning " : "Normal ") + event.reason())
        .toList();
  }

  /** What was counted. */
  List<JobTransition> facts() {
    return facts;
  }

  /** What was done. */
  List<PlannedAction> actions() {
    return actions;
  }

  /** How often the status was written. */
  int writes() {
    return writes;
  }

  /** Pods by name. */
  Map<String, Pod> pods() {
    return pods;
  }

  /** Services by name. */
  Set<String> services() {
    return services;
  }

  Instant now() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  /** The API server has refused writes. */
  void refuse(WriteFailure... failures) {
    refused = RefusedWrites.of(List.of(failures));
  }

  /** A pod with its Service, as Kubeflow's operator makes both; it runs. */
  Scene withPod(String type, int index) {
    String name = job.getMetadata().getName() + "-" + type + "-" + index;
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("training.kubeflow.org/operator-name", "pytorchjob-controller");
    labels.put("training.kubeflow.org/job-name", job.getMetadata().getName());
    labels.put("training.kubeflow.org/replica-type", type);
    labels.put("training.kubeflow.org/replica-index", Integer.toString(index));
    add(name, labels, null);
    services.add(name);
    run(name);
    return this;
  }

  private void add(String name, Map<String, String> labels, @Nullable String restartPolicy) {
    pods.put(
        name,
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withUid("uid-" + nextUid++)
            .withLabels(labels)
            .withCreationTimestamp(now.toString())
            .endMetadata()
            .withNewSpec()
            .withRestartPolicy(restartPolicy)
            .endSpec()
            .withStatus(new PodStatus())
            .build());
  }

  /** A pod runs. */
  void run(String name) {
    running(name, 0);
  }

  /** All pods run. */
  void allRun() {
    List.copyOf(pods.keySet()).forEach(this::run);
  }

  /** The kubelet has started a pod's container again. */
  void running(String name, int restarts) {
    container(
        name,
        "Running",
        new ContainerStatusBuilder()
            .withName("pytorch")
            .withRestartCount(restarts)
            .withState(
                new ContainerStateBuilder()
                    .withNewRunning()
                    .withStartedAt(now.toString())
                    .endRunning()
                    .build()));
  }

  /** The kubelet has started a pod's container again, which had ended with a code. */
  void restartedAfter(String name, int restarts, int code) {
    container(
        name,
        "Running",
        new ContainerStatusBuilder()
            .withName("pytorch")
            .withRestartCount(restarts)
            .withNewLastState()
            .withNewTerminated()
            .withExitCode(code)
            .withReason("Error")
            .withFinishedAt(now.toString())
            .endTerminated()
            .endLastState()
            .withState(
                new ContainerStateBuilder()
                    .withNewRunning()
                    .withStartedAt(now.toString())
                    .endRunning()
                    .build()));
  }

  /** A pod ends. */
  void exit(String name, int code) {
    container(
        name,
        code == 0 ? "Succeeded" : "Failed",
        new ContainerStatusBuilder()
            .withName("pytorch")
            .withRestartCount(0)
            .withState(
                new ContainerStateBuilder()
                    .withNewTerminated()
                    .withExitCode(code)
                    .withReason(code == 0 ? "Completed" : "Error")
                    .withFinishedAt(now.toString())
                    .endTerminated()
                    .build()));
  }

  /** So often the kubelet has started the only container of a pod again. */
  void restartCount(String name, int restarts) {
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .editStatus()
                .editFirstContainerStatus()
                .withRestartCount(restarts)
                .endContainerStatus()
                .endStatus()
                .build());
  }

  /** The phase of a pod is another than its containers' states make one think. */
  void phase(String name, String phase) {
    pods.computeIfPresent(
        name, (any, pod) -> new PodBuilder(pod).editStatus().withPhase(phase).endStatus().build());
  }

  /** What the container of a pod that has ended said last. */
  void says(String name, String words) {
    pods.computeIfPresent(
        name,
        (any, pod) -> {
          Pod said = new PodBuilder(pod).build();
          said.getStatus()
              .getContainerStatuses()
              .forEach(one -> one.getState().getTerminated().setMessage(words));
          return said;
        });
  }

  /** The kubelet has started a sidecar again, once, while the training goes on. */
  void sidecarRestarted(String name, int code) {
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .editStatus()
                .addNewContainerStatus()
                .withName("sidecar")
                .withRestartCount(1)
                .withNewLastState()
                .withNewTerminated()
                .withExitCode(code)
                .withReason("Error")
                .withFinishedAt(now.toString())
                .endTerminated()
                .endLastState()
                .withNewState()
                .withNewRunning()
                .withStartedAt(now.toString())
                .endRunning()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
  }

  /** A pod fails: its training container has ended with a code, and before it a sidecar. */
  void exitWithSidecar(String name, int code, int sidecar) {
    exit(name, code);
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .editStatus()
                .withPhase("Failed")
                .addNewContainerStatus()
                .withName("sidecar")
                .withRestartCount(0)
                .withNewState()
                .withNewTerminated()
                .withExitCode(sidecar)
                .withReason("Error")
                .withFinishedAt(now.minusSeconds(3).toString())
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
  }

  /** A pod fails because an init container has ended with a code. */
  void exitInInitContainer(String name, int code) {
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .withNewStatus()
                .withPhase("Failed")
                .addNewInitContainerStatus()
                .withName("init-pytorch")
                .withRestartCount(0)
                .withNewState()
                .withNewTerminated()
                .withExitCode(code)
                .withReason("Error")
                .withFinishedAt(now.toString())
                .endTerminated()
                .endState()
                .endInitContainerStatus()
                .addNewContainerStatus()
                .withName("pytorch")
                .withRestartCount(0)
                .withNewState()
                .withNewWaiting("", "PodInitializing")
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
  }

  /** Somebody deletes a pod, and it is gone. */
  void delete(String name) {
    pods.remove(name);
  }

  /** The kubelet evicts a pod. */
  void evict(String name, String message) {
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .withNewStatus()
                .withPhase("Failed")
                .withReason("Evicted")
                .withMessage(message)
                .endStatus()
                .build());
  }

  /** The image of a pod cannot be pulled. */
  void imageMissing(String name, String message) {
    container(
        name,
        "Pending",
        new ContainerStatusBuilder()
            .withName("pytorch")
            .withRestartCount(0)
            .withState(
                new ContainerStateBuilder()
                    .withNewWaiting()
                    .withReason("ImagePullBackOff")
                    .withMessage(message)
                    .endWaiting()
                    .build()));
  }

  private void container(String name, String phase, ContainerStatusBuilder container) {
    pods.computeIfPresent(
        name,
        (any, pod) ->
            new PodBuilder(pod)
                .editSpec()
                .withNodeName("n1")
                .endSpec()
                .withNewStatus()
                .withPhase(phase)
                .withContainerStatuses(container.build())
                .endStatus()
                .build());
  }

  /** What is seen now. */
  Observation observe() {
    TrainingJob read = read();
    return new Observation(
        read,
        pods.values().stream().flatMap(pod -> PodReader.read(pod, read).stream()).toList(),
        World.existing(services),
        Set.of(),
        refused,
        new ObservedDependents(List.copyOf(dependents.values()), null, Set.of(), Set.of()));
  }

  /** One look, without any write: what would be stored. */
  PyTorchJob next() {
    Observation seen = observe();
    Plan plan = planner.plan(seen, kind.violations(job), now);
    return kind.reported(job, seen.job(), JobReport.of(seen, plan), now);
  }

  /**
   * One reconciliation.
   *
   * @return whether something was written
   */
  boolean step() {
    Observation seen = observe();
    Plan plan = planner.plan(seen, kind.violations(job), now);
    JobReport report = JobReport.of(seen, plan);
    PyTorchJob next = kind.reported(job, seen.job(), report, now);
    boolean isNews = !next.getStatus().equals(job.getStatus());
    if (isNews) {
      writes++;
      events.addAll(kind.events(job, next, seen, report, EventReport.between(seen, report)));
      facts.addAll(JobTransitions.between(seen.job(), report, broken, now));
      broken = JobTransitions.brokenSince(seen.job(), report, broken, now);
      job = job.copy();
      job.setStatus(
          Serialization.unmarshal(Serialization.asJson(next.getStatus()), PyTorchJobStatus.class));
    }
    plan.actions().forEach(this::execute);
    actions.addAll(plan.actions());
    return isNews || !plan.actions().isEmpty();
  }

  private void execute(PlannedAction action) {
    if (action instanceof PlannedAction.CreatePod create) {
      add(
          create.name(),
          read()
              .labels()
              .ofPod(
                  new JobLabels.PodRole(
                      create.replica().type(),
                      create.replica().index(),
                      create.attempt(),
                      null,
                      create.earlierPods()),
                  false),
          switch (read().spec().type(create.replica().type()).restartPolicy()) {
            case ON_FAILURE -> "OnFailure";
            case ALWAYS -> "Always";
            default -> "Never";
          });
    } else if (action instanceof PlannedAction.CreateService create) {
      services.add(create.name());
    } else if (action instanceof PlannedAction.DeletePod delete) {
      pods.remove(delete.name());
    } else if (action instanceof PlannedAction.DeleteDependent delete) {
      services.remove(delete.name());
      dependents.remove(ObservedDependents.key(delete.kind(), delete.name()));
    } else if (action instanceof PlannedAction.ApplyDependent apply) {
      apply.object().getMetadata().setUid("uid-" + nextUid++);
      dependents.put(ObservedDependents.key(apply.object()), apply.object());
    }
  }

  /** Reconciles until nothing is left to do at this moment. */
  Scene settle() {
    for (int i = 0; i < 20; i++) {
      if (!step()) {
        return this;
      }
    }
    throw new AssertionError("the job does not come to rest: " + job.getStatus());
  }
}
