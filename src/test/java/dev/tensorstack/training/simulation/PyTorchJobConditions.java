package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The conditions are those of Kubeflow's operator: which can be true together, with which reasons,
 * and in which order, for the last one is what the column STATE shows.
 */
final class PyTorchJobConditions {

  private static final Map<String, String> TRUE_REASONS =
      Map.of(
          "Created", "PyTorchJobCreated",
          "Running", "PyTorchJobRunning",
          "Restarting", "PyTorchJobRestarting",
          "Succeeded", "PyTorchJobSucceeded",
          "Failed", "PyTorchJobFailed",
          "Suspended", "PyTorchJobSuspended");

  private PyTorchJobConditions() {}

  static void check(PyTorchJobLook look) {
    List<JobCondition> conditions = PyTorchJobWords.conditions(look.statusAfter);
    Set<String> types = new HashSet<>();
    Set<String> isTrue = new HashSet<>();
    for (JobCondition condition : conditions) {
      Invariants.require(types.add(condition.type()), "a condition stands once", look);
      if (condition.status().equals("True")) {
        isTrue.add(condition.type());
        Invariants.require(
            condition.reason().equals(TRUE_REASONS.get(condition.type())),
            "a condition has the reason of Kubeflow's operator",
            condition,
            look);
      }
    }
    Invariants.require(isTrue.contains("Created"), "a job that was seen is Created", look);
    Invariants.require(
        !(types.contains("Running") && types.contains("Restarting")),
        "Running and Restarting take each other's place",
        look);
    boolean ended = isTrue.contains("Succeeded") || isTrue.contains("Failed");
    Invariants.require(
        !(isTrue.contains("Succeeded") && isTrue.contains("Failed"))
            && !(ended && isTrue.contains("Running")),
        "a job that has ended is not Running, and has ended once",
        look);
    Invariants.require(
        !isTrue.contains("Suspended")
            || !(isTrue.contains("Running") || isTrue.contains("Restarting")),
        "a suspended job neither runs nor restarts",
        look);
    JobCondition suspended = PyTorchJobWords.condition(look.statusAfter, "Suspended");
    Invariants.require(
        suspended == null
            || suspended.status().equals("True")
            || suspended.reason().equals("PyTorchJobResumed"),
        "a job that goes on says that it was resumed",
        look);
    JobCondition last = conditions.get(conditions.size() - 1);
    Invariants.require(
        ended
            ? last.type().equals("Succeeded") || last.type().equals("Failed")
            : suspended == null
                || suspended.status().equals("True") == last.type().equals("Suspended")
                    && last.status().equals("True"),
        "the column STATE says what the job does",
        look);
    order(look, conditions);
    changes(look, conditions);
  }

  /**
   * What changed stands behind what did not; only the end of a suspension stands in front, and
   * takes along that the job does not run: the column would say Running.
   */
  private static void order(PyTorchJobLook look, List<JobCondition> conditions) {
    boolean resumes =
        PyTorchJobWords.isTrue(look.statusBefore, "Suspended")
            && !PyTorchJobWords.isTrue(look.statusAfter, "Suspended");
    List<String> kept = new ArrayList<>();
    boolean changed = false;
    for (JobCondition condition : conditions) {
      JobCondition before = PyTorchJobWords.condition(look.statusBefore, condition.type());
      boolean same = before != null && before.status().equals(condition.status());
      if (same) {
        Invariants.require(
            before.lastTransitionTime().equals(condition.lastTransitionTime()),
            "a condition that did not change keeps its time",
            look);
        Invariants.require(!changed, "the condition that changed last stands last", look);
        if (!(resumes && condition.type().equals("Running"))) {
          kept.add(condition.type());
        }
      } else if (!(condition.type().equals("Suspended") && condition.status().equals("False"))) {
        changed = true;
      }
    }
    List<String> order = new ArrayList<>();
    PyTorchJobWords.conditions(look.statusBefore).forEach(one -> order.add(one.type()));
    order.retainAll(kept);
    Invariants.require(order.equals(kept), "the condition that changed last stands last", look);
  }

  private static void changes(PyTorchJobLook look, List<JobCondition> conditions) {
    boolean runs = PyTorchJobWords.isTrue(look.statusAfter, "Running");
    if (runs && !PyTorchJobWords.isTrue(look.statusBefore, "Running")) {
      Invariants.require(
          look.before.replicas().keySet().stream()
              .filter(id -> !look.hasMaster() || look.isMaster(id))
              .anyMatch(id -> isRunning(look, id)),
          "a job is Running when its Master runs, or without one any Worker",
          look);
    }
    boolean restarts = PyTorchJobWords.isTrue(look.statusAfter, "Restarting");
    boolean failed = look.backoffs() + look.disruptions() > 0;
    Invariants.require(
        !restarts || PyTorchJobWords.isTrue(look.statusBefore, "Restarting") || failed,
        "a job is Restarting when a replica failed",
        look);
    boolean comesBack =
        look.replaced.stream().anyMatch(id -> look.fates.get(id).failed()) && failed;
    Invariants.require(
        !comesBack || restarts || look.before.pausing() || look.after.pausing(),
        "a job is Restarting when a replica failed and comes back",
        look);
  }

  private static boolean isRunning(PyTorchJobLook look, ReplicaId id) {
    ObservedPod pod = look.pod(id);
    return pod != null && pod.phase() == ObservedPod.Phase.RUNNING;
  }
}
