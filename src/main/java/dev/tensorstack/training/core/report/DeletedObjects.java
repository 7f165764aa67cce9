package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.CleanUp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the operator deletes because of what is decided newly about a job whose pods have Services
 * of their own: pods that are replaced, those that scaling takes away, those that must not be
 * started again, and those that the clean-up takes. A decision is made once, so each of them is
 * named once. A pause has words of its own.
 *
 * @param pods names of pods that exist and that nobody has told to go before
 * @param services names of Services that exist
 */
public record DeletedObjects(List<String> pods, List<String> services) {

  private static final DeletedObjects NONE = new DeletedObjects(List.of(), List.of());

  /**
   * What is deleted because of a change.
   *
   * @param seen the job's world; the job has what was stored before
   * @param report what is to be stored
   * @return the names, in the order of replicas
   */
  public static DeletedObjects between(Observation seen, JobReport report) {
    Ledger before = seen.job().ledger();
    Ledger ledger = report.ledger();
    Ledger.Pause pause = JobReport.pause(ledger);
    if (pause == Ledger.Pause.PAUSING || pause == Ledger.Pause.PAUSED || before.outcome() != null) {
      return NONE;
    }
    return ledger.outcome() == null ? ofReplicas(seen, report) : cleanedUp(seen, ledger.outcome());
  }

  private static DeletedObjects ofReplicas(Observation seen, JobReport report) {
    Ledger before = seen.job().ledger();
    Set<ReplicaId> gone = new HashSet<>(report.ledger().removed());
    gone.removeAll(before.removed());
    Map<ReplicaId, Integer> earlierPods = new HashMap<>();
    Set<ReplicaId> delayed = new HashSet<>();
    Set<ReplicaId> stopped = new HashSet<>();
    for (ReplicaReport replica : report.replicas()) {
      if (replica.replaces(before.slots().get(replica.id()))) {
        earlierPods.put(replica.id(), replica.slot().earlierPods());
        if (replica.slot().restartAt() != null) {
          delayed.add(replica.id());
        }
      }
      if (stops(report.ledger(), before.slots().get(replica.id()), replica.slot())) {
        stopped.add(replica.id());
      }
    }
    List<String> services = new ArrayList<>();
    gone.stream()
        .map(id -> seen.job().names().replicaService(id.type(), id.index()))
        .filter(seen.services().uids()::containsKey)
        .sorted()
        .forEach(services::add);
    return new DeletedObjects(
        pods(
            seen,
            pod ->
                gone.contains(pod.replica())
                    || (stopped.contains(pod.replica()) && !pod.ended())
                    // One that has ended stays for its log until its name is needed.
                    || (pod.earlierPods() < earlierPods.getOrDefault(pod.replica(), 0)
                        && !(pod.ended() && delayed.contains(pod.replica())))),
        services);
  }

  /** Whether no container of a pod is started again from now on, because the job is to end. */
  private static boolean stops(Ledger ledger, Ledger.@Nullable Slot before, Ledger.Slot slot) {
    return ledger.ending() != null
        && slot.end() != null
        && !slot.end().succeeded()
        && (before == null || before.end() == null);
  }

  /**
   * Pods that run at a success may end by themselves, and then the policy that takes what runs
   * leaves them: of these nothing is known yet.
   */
  private static DeletedObjects cleanedUp(Observation seen, Ledger.Outcome outcome) {
    JobSpec spec = seen.job().spec();
    CleanUpPolicy policy = spec.runPolicy().cleanUp();
    boolean stopsAll = CleanUp.stopsAll(spec, outcome);
    boolean open = outcome.succeeded() && !seen.pods().stream().allMatch(ObservedPod::ended);
    if ((policy == CleanUpPolicy.NONE && !stopsAll)
        || (policy == CleanUpPolicy.UNFINISHED && open)) {
      return NONE;
    }
    Set<String> kept = new HashSet<>();
    for (ObservedPod pod : seen.pods()) {
      if (policy != CleanUpPolicy.ALL && pod.ended()) {
        kept.add(seen.job().names().replicaService(pod.replica().type(), pod.replica().index()));
      }
    }
    return new DeletedObjects(
        pods(seen, pod -> CleanUp.deletes(policy, stopsAll, pod)),
        seen.services().uids().keySet().stream()
            .filter(name -> !kept.contains(name))
            .sorted()
            .toList());
  }

  private static List<String> pods(Observation seen, Predicate<ObservedPod> deleted) {
    return seen.pods().stream()
        .filter(pod -> !pod.deleting())
        .filter(deleted)
        .map(ObservedPod::name)
        .distinct()
        .toList();
  }
}
