package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.report.DeletedObjects;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.pytorchjob.admission.ReplicaFields;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of a PyTorchJob under the reasons of Kubeflow's operator: what a condition says, and
 * one event for all pods that are created or deleted together, where that operator writes one each.
 */
final class PyTorchJobEvents {

  private static final int NAMED = 3;

  /** The conditions say these. */
  private static final Set<String> IN_CONDITIONS =
      Set.of(
          Events.CREATED,
          Events.START,
          Events.RUNNING,
          Events.PAUSED,
          Events.RESUMED,
          Events.SUCCEEDED,
          Events.FAILED,
          Events.DEADLINE_EXCEEDED);

  private static final Set<String> WARNINGS = Set.of(Conditions.RESTARTING, Conditions.FAILED);

  private final PyTorchJobSpec spec;
  private final @Nullable PyTorchJobStatus before;
  private final PyTorchJobStatus after;
  private final Observation seen;
  private final JobReport report;
  private final @Nullable String gangScheduler;
  private final List<JobEvent> events = new ArrayList<>();

  private PyTorchJobEvents(
      PyTorchJobSpec spec,
      @Nullable PyTorchJobStatus before,
      PyTorchJobStatus after,
      Observation seen,
      JobReport report,
      @Nullable String gangScheduler) {
    this.spec = spec;
    this.before = before;
    this.after = after;
    this.seen = seen;
    this.report = report;
    this.gangScheduler = gangScheduler;
  }

  /**
   * The events of a change.
   *
   * @param spec the job's spec
   * @param before the stored status; null before the first
   * @param after the next status
   * @param seen the job's world
   * @param report what is said about the job
   * @param found what happened, in the operator's words
   * @param gangScheduler the {@code schedulerName} of the gang scheduler; null for none
   * @return what to tell, in order
   */
  static List<JobEvent> of(
      PyTorchJobSpec spec,
      @Nullable PyTorchJobStatus before,
      PyTorchJobStatus after,
      Observation seen,
      JobReport report,
      List<JobEvent> found,
      @Nullable String gangScheduler) {
    PyTorchJobEvents told = new PyTorchJobEvents(spec, before, after, seen, report, gangScheduler);
    told.templates();
    told.firstPods();
    found.forEach(told::translated);
    told.conditions();
    told.deletions(DeletedObjects.between(seen, report));
    return told.events;
  }

  /**
   * What distinguishes events of the same reason, and often the same words: each change of the
   * spec, such as a suspension or a resume, and each restart makes it larger.
   */
  private int occasion() {
    Ledger.Counts counts = seen.job().ledger().counts();
    return start() + counts.backoff() + counts.disruptions();
  }

  /** The same, but pods that are replaced do not make it larger. */
  private int start() {
    return (int) seen.job().generation() + seen.job().ledger().counts().attempt();
  }

  private void add(String reason, boolean warning, String message) {
    events.add(new JobEvent(reason, warning, occasion(), message));
  }

  /** What stands in a template and does not count, once for each job. */
  private void templates() {
    if (before != null && before.conditions() != null) {
      return;
    }
    List<String> policies = new ArrayList<>();
    List<String> schedulers = new ArrayList<>();
    ReplicaFields.known(spec)
        .forEach(
            (type, replicas) -> {
              PodSpec pod = replicas.template() == null ? null : replicas.template().getSpec();
              if (pod == null) {
                return;
              }
              String field = ReplicaFields.template(type) + ".spec.";
              if (isGiven(pod.getRestartPolicy())) {
                policies.add(field + "restartPolicy");
              }
              if (gangScheduler != null
                  && isGiven(pod.getSchedulerName())
                  && !pod.getSchedulerName().equals(gangScheduler)) {
                schedulers.add(field + "schedulerName: " + pod.getSchedulerName());
              }
            });
    if (!policies.isEmpty()) {
      add(
          "SetPodTemplateRestartPolicy",
          true,
          String.join(", ", policies) + " will not count: the replica spec's restartPolicy does");
    }
    if (!schedulers.isEmpty()) {
      add(
          "SetPodTemplateSchedulerName",
          true,
          String.join(", ", schedulers)
              + " will be kept, and the gang scheduler does not place these pods");
    }
  }

  private static boolean isGiven(@Nullable String text) {
    return text != null && !text.isEmpty();
  }

  /** All that the start creates, or a resume, once it is there. */
  private void firstPods() {
    JobSummary summary = seen.job().summary();
    if ((summary != null && summary.initialized()) || !isInitialized(after)) {
      return;
    }
    List<String> names = new ArrayList<>();
    seen.pods().stream().map(pod -> pod.name()).sorted().forEach(names::add);
    if (!names.isEmpty()) {
      String pods = "Created pods: " + listed(names);
      String services = "Created services: " + listed(names);
      events.add(new JobEvent("SuccessfulCreatePod", false, start(), pods));
      events.add(new JobEvent("SuccessfulCreateService", false, start(), services));
    }
  }

  private static boolean isInitialized(PyTorchJobStatus status) {
    return status.ledger() != null
        && status.ledger().summary() != null
        && Boolean.TRUE.equals(status.ledger().summary().initialized());
  }

  private static boolean holds(JobCondition condition) {
    return "True".equals(condition.status());
  }

  private static String listed(List<String> names) {
    return names.size() <= NAMED
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, NAMED)) + " and " + (names.size() - NAMED) + " more";
  }

  private void translated(JobEvent event) {
    if (event.reason().equals(Events.PAUSED) && before != null && before.startTime() != null) {
      add("SuccessfulDeletePod", false, "Deleted all pods: the job is suspended");
      add("SuccessfulDeleteService", false, "Deleted all services: the job is suspended");
    }
    if (IN_CONDITIONS.contains(event.reason())) {
      return;
    }
    if (event.reason().equals(Events.REPLICA_FAILED) && exited(event)) {
      return;
    }
    if (event.reason().equals(Events.RESTARTING)) {
      restarting(event);
      return;
    }
    if (event.reason().equals(Events.SCALED)) {
      scaled(event);
      return;
    }
    String reason =
        switch (event.reason()) {
          case Events.NEW_REPLICA -> "SuccessfulCreatePod";
          case Events.IMAGE_PULL_FAILED -> "ImagePullBackOff";
          case Events.CREATE_FAILED -> failedCreation(event.message());
          default -> event.reason();
        };
    if (event.reason().equals(Events.NEW_REPLICA)) {
      add(reason, event.warning(), event.message());
    } else {
      // Their words differ: one event counts them.
      events.add(new JobEvent(reason, event.warning(), event.attempt(), event.message()));
    }
  }

  /** What goes because of what was decided; a suspension says so when all is gone. */
  private void deletions(DeletedObjects deleted) {
    // The end is told beside what was stopped when it was announced.
    int occasion = occasion() + (seen.job().ledger().ending() == null ? 0 : 1);
    if (!deleted.pods().isEmpty()) {
      String pods = "Deleted pods: " + listed(deleted.pods());
      events.add(new JobEvent("SuccessfulDeletePod", false, occasion, pods));
    }
    if (!deleted.services().isEmpty()) {
      String services = "Deleted services: " + listed(deleted.services());
      events.add(new JobEvent("SuccessfulDeleteService", false, occasion, services));
    }
  }

  /**
   * Tells why a replica is replaced. What the kubelet starts again in its pod goes on running, and
   * a job that has ended says so itself. The counts make the words of two restarts differ.
   */
  private void restarting(JobEvent event) {
    Map<ReplicaId, Ledger.Slot> stored = seen.job().ledger().slots();
    Ledger ledger = report.ledger();
    if (ledger.outcome() == null
        && report.replicas().stream()
            .anyMatch(replica -> replica.replaces(stored.get(replica.id())))) {
      events.add(
          new JobEvent(
              "PyTorchJobRestarting",
              true,
              event.attempt(),
              "%s Restarts counted: %d, after disruptions: %d"
                  .formatted(
                      StatusRendering.restarting(seen.job(), ledger.lastFailure()),
                      ledger.counts().backoff(),
                      ledger.counts().disruptions())));
    }
  }

  /** Tells of a new number of Workers: of a Master there is one, or none. */
  private void scaled(JobEvent event) {
    JobSummary summary = seen.job().summary();
    int masters = spec.replicas(ReplicaType.Master) == null ? 0 : 1;
    if (summary != null) {
      events.add(
          new JobEvent(
              event.reason(),
              event.warning(),
              event.attempt(),
              "from %d to %d Workers (generation %d of the spec)"
                  .formatted(
                      summary.replicas() - masters,
                      report.summary().replicas() - masters,
                      report.summary().generation())));
    }
  }

  /** Tells of a failure with an exit code; false when it has none. */
  private boolean exited(JobEvent event) {
    StoredLedger.Failure failure = after.ledger() == null ? null : after.ledger().lastFailure();
    if (failure == null || failure.exitCode() == null) {
      return false;
    }
    String message =
        "pod %s (%s) exited with code %d: %s"
            .formatted(failure.pod(), failure.replica(), failure.exitCode(), failure.reason());
    events.add(
        new JobEvent(
            "ExitedWithCode",
            event.warning(),
            event.attempt(),
            failure.message() == null ? message : message + ", " + failure.message()));
    return true;
  }

  /** After the refusal that the event tells. */
  private String failedCreation(String message) {
    for (WriteFailure failure : seen.refused().byWrite().values()) {
      ObjectWrite write = failure.write();
      if (!failure.passes()
          && write.verb() == ObjectWrite.Verb.MAKE
          && message.contains(write + ": ")) {
        String kind = write.kind().replaceAll("[.].*", "");
        return "FailedCreate" + kind.substring(0, 1).toUpperCase(Locale.ROOT) + kind.substring(1);
      }
    }
    return Events.CREATE_FAILED;
  }

  /** What a condition says newly; the event of a restart tells more. */
  private void conditions() {
    for (JobCondition condition : requireNonNullElse(after.conditions(), List.<JobCondition>of())) {
      String type = requireNonNullElse(condition.type(), "");
      boolean resumed = Conditions.SUSPENDED.equals(type) && !holds(condition);
      if ((holds(condition) || resumed)
          && isNews(condition)
          && events.stream().noneMatch(told -> told.reason().equals(condition.reason()))) {
        add(
            requireNonNullElse(condition.reason(), type),
            WARNINGS.contains(type),
            requireNonNullElse(condition.message(), ""));
      }
    }
  }

  private boolean isNews(JobCondition condition) {
    List<JobCondition> stored =
        before == null || before.conditions() == null ? List.of() : before.conditions();
    return stored.stream()
        .noneMatch(
            old ->
                old != null
                    && Objects.equals(old.type(), condition.type())
                    && Objects.equals(old.status(), condition.status()));
  }
}
