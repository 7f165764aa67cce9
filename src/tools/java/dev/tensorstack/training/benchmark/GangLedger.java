package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows pods and Workloads as watches bring them, and notes what must not be: more in use than a
 * cohort has, a pod that finds no node, a job with some of its pods, a job before its turn. Pure:
 * no I/O, no clock. Safe for use by several threads.
 */
final class GangLedger {

  private static final String TRUE = "True";

  private final int podsPerGang;
  private final int gpusPerPod;
  private final int quotaOfCohort;
  private final Map<String, QueuedGang> gangs = new LinkedHashMap<>();
  private final Map<String, Pod> pods = new HashMap<>();
  private final Set<String> workloads = new java.util.HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private final int[] inUse;
  private final int[] mostInUse;

  /** A pod as the watch brought it last. */
  private static final class Pod {
    private final QueuedGang gang;
    private boolean bound;
    private boolean ended;
    private boolean refused;

    Pod(QueuedGang gang) {
      this.gang = gang;
    }
  }

  /** A ledger for jobs of one size. */
  GangLedger(QueueSize size) {
    podsPerGang = size.podsPerGang();
    gpusPerPod = size.gpusPerNode();
    quotaOfCohort = size.quotaOfCohort();
    inUse = new int[QueueSize.COHORTS];
    mostInUse = new int[QueueSize.COHORTS];
  }

  /** A job that will come. */
  synchronized void expect(QueuedGang gang) {
    gangs.put(gang.name, gang);
  }

  /** All jobs that were expected, in that order. */
  synchronized List<QueuedGang> gangs() {
    return List.copyOf(gangs.values());
  }

  /** A job as it is stored; jobs that are not expected are passed over. */
  synchronized void job(JsonNode job) {
    QueuedGang gang = gangs.get(job.path("metadata").path("name").asText());
    if (gang != null) {
      gang.created = created(job);
    }
  }

  /** A Workload as it is now. */
  synchronized void workload(JsonNode workload, long now) {
    QueuedGang gang = gangs.get(ownerOf(workload));
    if (gang == null) {
      return;
    }
    if (workloads.add(workload.path("metadata").path("uid").asText())) {
      gang.workloads++;
      gang.queued = created(workload);
    }
    for (JsonNode condition : workload.path("status").path("conditions")) {
      String type = condition.path("type").asText();
      if (!condition.path("status").asText().equals(TRUE)) {
        continue;
      }
      if (type.equals("Admitted") && gang.admissionSeen == 0) {
        gang.admissionSeen = now;
        gang.admitted = Instant.parse(condition.path("lastTransitionTime").asText());
      } else if (type.equals("Evicted")) {
        note(gang, "was evicted: " + condition.path("message").asText());
      }
    }
  }

  /** A pod as it is now, or as it was last. */
  synchronized void pod(JsonNode pod, boolean deleted, long now) {
    String uid = pod.path("metadata").path("uid").asText();
    QueuedGang gang =
        gangs.get(pod.path("metadata").path("labels").path(TrainingJobLabels.OWNER_NAME).asText());
    if (gang == null || (deleted && !pods.containsKey(uid))) {
      return;
    }
    Pod known = pods.get(uid);
    if (known == null) {
      known = new Pod(gang);
      pods.put(uid, known);
      appeared(gang, pod, now);
    }
    if (!known.bound && pod.path("spec").has("nodeName")) {
      known.bound = true;
      gang.bound++;
      gang.firstBound = gang.firstBound == 0 ? now : gang.firstBound;
      gang.lastBound = now;
    }
    if (!known.bound && !known.refused && isRefused(pod)) {
      known.refused = true;
      note(gang, "has a pod that no node can take");
    }
    String phase = pod.path("status").path("phase").asText();
    boolean done = phase.equals("Succeeded") || phase.equals("Failed");
    if (!known.ended && (done || deleted)) {
      known.ended = true;
      gang.ended++;
      inUse[gang.cohort] -= gpusPerPod;
      if (!phase.equals("Succeeded")) {
        note(gang, "has lost a pod in phase " + phase);
      }
    }
  }

  private void appeared(QueuedGang gang, JsonNode pod, long now) {
    gang.pods++;
    if (gang.firstPodSeen == 0) {
      gang.firstPodSeen = now;
      gang.started = created(pod);
    }
    if (gang.pods > podsPerGang) {
      note(gang, "has pod number " + gang.pods);
    }
    inUse[gang.cohort] += gpusPerPod;
    mostInUse[gang.cohort] = Math.max(mostInUse[gang.cohort], inUse[gang.cohort]);
    if (inUse[gang.cohort] > quotaOfCohort) {
      note(gang, inUse[gang.cohort] + " accelerators in use in a cohort of " + quotaOfCohort);
    }
  }

  private static boolean isRefused(JsonNode pod) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("PodScheduled")
          && condition.path("reason").asText().equals("Unschedulable")) {
        return true;
      }
    }
    return false;
  }

  private static String ownerOf(JsonNode object) {
    return object.path("metadata").path("ownerReferences").path(0).path("name").asText();
  }

  private static Instant created(JsonNode object) {
    return Instant.parse(object.path("metadata").path("creationTimestamp").asText());
  }

  private void note(QueuedGang gang, String what) {
    violations.add(gang.name + " " + what);
  }

  /** The most accelerators that a cohort's pods used at the same moment. */
  synchronized int mostInUse(int cohort) {
    return mostInUse[cohort];
  }

  /**
   * What must not be and was, when all jobs have ended; empty when all was well. Moments of the
   * same second have no order.
   */
  synchronized List<String> violations() {
    List<String> all = new ArrayList<>(violations);
    for (QueuedGang gang : gangs.values()) {
      if (gang.workloads != 1 || gang.pods != podsPerGang || gang.bound != podsPerGang) {
        all.add(
            gang.name
                + (" had " + gang.workloads + " Workloads, " + gang.pods + " pods, of which ")
                + (gang.bound + " were bound"));
      }
      if (gang.admitted != null && gang.started != null && gang.started.isBefore(gang.admitted)) {
        all.add(gang.name + " had a pod before it was admitted");
      }
    }
    all.addAll(outOfTurn("queued", gang -> gang.created, gang -> gang.queued));
    all.addAll(outOfTurn("admitted", gang -> gang.queued, gang -> gang.admitted));
    all.addAll(outOfTurn("started", gang -> gang.admitted, gang -> gang.started));
    return all;
  }

  /** Pairs of one queue in which the one that was first in one way was second in another. */
  private List<String> outOfTurn(
      String what,
      Function<QueuedGang, @Nullable Instant> before,
      Function<QueuedGang, @Nullable Instant> after) {
    List<String> pairs = new ArrayList<>();
    for (QueuedGang first : gangs.values()) {
      for (QueuedGang second : gangs.values()) {
        if (first.queue.equals(second.queue)
            && isBefore(before.apply(first), before.apply(second))
            && isBefore(after.apply(second), after.apply(first))) {
          pairs.add(second.name + " was " + what + " before " + first.name);
        }
      }
    }
    return pairs;
  }

  private static boolean isBefore(@Nullable Instant one, @Nullable Instant other) {
    return one != null && other != null && one.isBefore(other);
  }
}
