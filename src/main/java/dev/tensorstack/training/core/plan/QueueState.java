package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.pod.QueuePlace;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a job's queue says of it now (docs/design/queue.md).
 *
 * @param queue the queue; null when the job waits in none, or the cluster serves none of its kind
 * @param unknown what is missing to follow it, as a sentence for people, empty when it is simply
 *     not known yet; null when nothing is
 * @param entry the job's entry, perhaps being deleted; null when there is none
 * @param answer what the queue says of the entry; null when there is none
 * @param refused why the entry cannot be written just now; null when it can
 * @param more the entries by which the job grows, in the order of their names
 */
public record QueueState(
    @Nullable JobQueue queue,
    @Nullable String unknown,
    @Nullable GenericKubernetesResource entry,
    @Nullable QueueAnswer answer,
    @Nullable WriteFailure refused,
    List<QueueEntry> more) {

  private static final QueueState NONE = new QueueState(null, null, null, null, null, List.of());

  /**
   * What is seen of a job's queue.
   *
   * @param seen the job's world
   * @return the state
   */
  public static QueueState of(Observation seen) {
    TrainingJob job = seen.job();
    JobQueue queue = job.spec().queue();
    if (queue == null) {
      return NONE;
    }
    ObservedDependents dependents = seen.dependents();
    ObjectKind kind = dependents.queueKind();
    if (kind == null) {
      return Collections.disjoint(dependents.unknown(), queue.kinds())
          ? NONE
          : new QueueState(queue, "", null, null, null, List.of());
    }
    String name = job.names().queueEntry(1);
    GenericKubernetesResource entry = dependents.find(kind, name);
    WriteFailure refused = seen.refused().get(ObjectWrite.of(kind, name));
    QueueFacts facts = dependents.queueFacts();
    // What the queue says of the job does not depend on what is known of nodes.
    QueueFacts known = requireNonNullElse(facts, QueueFacts.NONE);
    QueueAnswer answer = entry == null ? null : queue.answer(entry, known);
    return new QueueState(
        queue,
        entry == null && facts != null && queue.missing(job.spec(), facts) != null
            ? queue.missing(job.spec(), facts)
            : unknown(queue, entry, facts),
        entry,
        answer,
        refused,
        more(job, queue, kind, dependents));
  }

  private static List<QueueEntry> more(
      TrainingJob job, JobQueue queue, ObjectKind kind, ObservedDependents dependents) {
    QueueFacts facts = dependents.queueFacts();
    List<QueueEntry> more = new ArrayList<>();
    for (int number = 2; number <= JobQueue.MOST_ENTRIES; number++) {
      GenericKubernetesResource entry = dependents.find(kind, job.names().queueEntry(number));
      if (entry != null) {
        more.add(
            new QueueEntry(
                entry,
                unknown(queue, entry, facts) == null
                    ? queue.answer(entry, requireNonNullElse(facts, QueueFacts.NONE))
                    : withoutNodes(queue.answer(entry, QueueFacts.NONE))));
      }
    }
    return more;
  }

  /** What is admitted waits until it is known to which nodes; the job runs on meanwhile. */
  private static QueueAnswer withoutNodes(QueueAnswer answer) {
    return answer.state() == QueueAnswer.State.ADMITTED
        ? new QueueAnswer(QueueAnswer.State.WAITING, "", Map.of())
        : answer;
  }

  private static @Nullable String unknown(
      JobQueue queue, @Nullable GenericKubernetesResource entry, @Nullable QueueFacts facts) {
    if (facts == null) {
      return "";
    }
    return entry == null || facts.flavors().keySet().containsAll(queue.flavors(entry))
        ? null
        : "what "
            + queue.flavors(entry)
            + " say of nodes is not known; may the operator list them?";
  }

  /**
   * Whether the job may have the pods that it was given a share for.
   *
   * @return false also while that is not known
   */
  public boolean admitted() {
    return answer != null && answer.state() == QueueAnswer.State.ADMITTED;
  }

  /**
   * The job's place in its queue, for its pods.
   *
   * @return null for a job that waits in no queue
   */
  public @Nullable QueuePlace place() {
    List<QueueEntry> admitted = admittedEntries();
    return admitted.isEmpty() ? null : new QueuePlace(admitted);
  }

  /** All entries of the job, the one that it starts with first. */
  List<QueueEntry> entries() {
    List<QueueEntry> all = new ArrayList<>();
    if (entry != null && answer != null) {
      all.add(new QueueEntry(entry, answer));
    }
    all.addAll(more);
    return all;
  }

  /** Those whose shares the job may use, the one that it starts with first. */
  List<QueueEntry> admittedEntries() {
    return admitted() ? entries().stream().filter(QueueEntry::admitted).toList() : List.of();
  }

  /**
   * What a running job still waits for.
   *
   * @return a sentence for people; null when it has all, or has not asked for more yet
   */
  public @Nullable String growth() {
    for (QueueEntry one : more) {
      if (queue != null
          && one.answer().state() == QueueAnswer.State.WAITING
          && !one.answer().words().isEmpty()) {
        int pods = queue.asked(one.object()).values().stream().mapToInt(count -> count).sum();
        return pods + (pods == 1 ? " more waits: " : " more wait: ") + one.answer().words();
      }
    }
    return null;
  }

  /** Whether the job holds a share, or says so, whether or not it may use it. */
  boolean holdsAShare() {
    return answer != null && answer.state() != QueueAnswer.State.WAITING;
  }

  /** Whether missing pods may be created as far as the queue is concerned. */
  GangGate gate(CurrentReplicas current) {
    if (queue == null) {
      return GangGate.OPEN;
    }
    if (unknown != null) {
      return unknown.isEmpty() ? new GangGate.Opening() : new GangGate.Queued(unknown);
    }
    if (entry == null && refused == null) {
      return new GangGate.Opening();
    }
    String why = why(current);
    return why == null ? GangGate.OPEN : new GangGate.Queued(why);
  }

  /**
   * Why the job may not have the pods that it wants.
   *
   * @return a sentence for people; null when it may, or when that is not known
   */
  @Nullable String why(CurrentReplicas current) {
    boolean takenBack = answer != null && !admitted();
    if (queue == null || (unknown != null && !takenBack)) {
      return null;
    }
    if (answer == null) {
      return refused == null
          ? "the job has no place in its queue"
          : refused.describe() + "; it is tried again";
    }
    return admitted() ? lack(current) : answer.words();
  }

  /** What the replicas that are not done need beyond what the job was given; null for nothing. */
  private @Nullable String lack(CurrentReplicas current) {
    for (Map.Entry<String, Integer> one : unfinished(current).entrySet()) {
      int given = given(one.getKey(), QueueAnswer.Share::count);
      if (one.getValue() > given) {
        return "queues anew: "
            + one.getValue()
            + " pods of type "
            + one.getKey()
            + " are needed, "
            + given
            + " are admitted";
      }
    }
    return null;
  }

  private int given(String type, ToIntFunction<QueueAnswer.Share> number) {
    return admittedEntries().stream()
        .map(one -> one.answer().share(type))
        .filter(Objects::nonNull)
        .mapToInt(number)
        .sum();
  }

  private static Map<String, Integer> unfinished(CurrentReplicas current) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    TrainingJob job = current.seen().job();
    for (CurrentReplica replica : current.all()) {
      // What limits an elastic job counts those that the stored ledger knows to be done.
      boolean done =
          job.spec().elastic() == null
              ? replica.done()
              : needsNoMore(job.ledger().slots().get(replica.id()));
      if (!done) {
        counts.merge(replica.id().type(), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** Done, or gone for good. */
  private static boolean needsNoMore(Ledger.@Nullable Slot slot) {
    Ledger.RecordedEnd end = slot == null ? null : slot.end();
    return end != null && (end.succeeded() || end.tolerated());
  }

  /**
   * The replicas of an elastic job that need no share any more: it has them beside those that it
   * was given shares for.
   *
   * @param job the job
   * @return their numbers by type
   */
  static Map<String, Integer> done(TrainingJob job) {
    Map<String, Integer> done = new LinkedHashMap<>();
    job.ledger()
        .slots()
        .forEach(
            (id, slot) -> {
              if (needsNoMore(slot)) {
                done.merge(id.type(), 1, Integer::sum);
              }
            });
    return done;
  }

  /**
   * By type, how many pods still need their share: those that scaling takes away until they end.
   */
  static Map<String, Integer> needed(CurrentReplicas current) {
    Map<String, Integer> needed = unfinished(current);
    for (ObservedPod pod : current.seen().pods()) {
      if (!pod.ended() && !current.layout().contains(pod.replica())) {
        needed.merge(pod.replica().type(), 1, Integer::sum);
      }
    }
    return needed;
  }

  /**
   * The observation of a job that may not have more replicas than its queue gives it.
   *
   * @return the same world with a spec that asks for no more than the job was given: of an elastic
   *     job without what was given back, of others as many as were admitted
   */
  Observation limited(Observation seen) {
    if (!admitted()) {
      return seen;
    }
    JobSpec spec = seen.job().spec();
    JobSpec limited =
        spec.elastic() == null ? asAdmitted(spec) : asGiven(seen.job(), spec.elastic());
    return limited == spec ? seen : seen.with(seen.job().withSpec(limited));
  }

  private JobSpec asGiven(TrainingJob job, Elasticity elastic) {
    JobSpec spec = job.spec();
    int given = admittedEntries().stream().mapToInt(one -> one.answer().pods()).sum();
    int done = done(job).values().stream().mapToInt(count -> count).sum();
    int nodes = Math.max(given + done, elastic.minReplicas());
    return nodes >= elastic.expectedReplicas() ? spec : spec.scaledTo(nodes);
  }

  private JobSpec asAdmitted(JobSpec spec) {
    Map<String, Integer> most = new LinkedHashMap<>();
    for (ReplicaType type : spec.types()) {
      int granted = given(type.name(), QueueAnswer.Share::granted);
      if (granted > 0) {
        most.put(type.name(), granted);
      }
    }
    return spec.limitedTo(most);
  }
}
