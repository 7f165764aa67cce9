package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.pod.QueuePlace;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
 * @param more the entries by which the job grows, in the order of their numbers
 * @param left the entries of a job that has lost the label of its queue: it stops, and starts
 *     without a queue once they are gone
 */
public record QueueState(
    @Nullable JobQueue queue,
    @Nullable String unknown,
    @Nullable GenericKubernetesResource entry,
    @Nullable QueueAnswer answer,
    @Nullable WriteFailure refused,
    List<QueueEntry> more,
    List<GenericKubernetesResource> left) {

  private static final QueueState NONE = ofNone(List.of());

  /**
   * What is seen of a job's queue.
   *
   * @param seen the job's world
   * @return the state
   */
  public static QueueState of(Observation seen) {
    TrainingJob job = seen.job();
    JobQueue queue = job.spec().queue();
    ObservedDependents dependents = seen.dependents();
    ObjectKind kind = dependents.queueKind();
    if (queue == null) {
      if (kind == null) {
        return NONE;
      }
      return dependents.unknown().contains(kind)
          ? new QueueState(null, "", null, null, null, List.of(), List.of())
          : ofNone(entries(dependents, kind));
    }
    if (kind == null) {
      return Collections.disjoint(dependents.unknown(), queue.kinds())
          ? NONE
          : new QueueState(queue, "", null, null, null, List.of(), List.of());
    }
    String name = job.names().queueEntry(1);
    GenericKubernetesResource entry = dependents.find(kind, name);
    WriteFailure refused = seen.refused().get(ObjectWrite.of(kind, name));
    QueueFacts facts = dependents.queueFacts();
    // What the queue says of the job does not depend on what is known of nodes.
    QueueFacts known = requireNonNullElse(facts, QueueFacts.NONE);
    QueueAnswer answer = entry == null ? null : queue.answer(entry, known);
    String missing = facts == null ? null : queue.missing(job.spec(), facts);
    if (missing != null && answer != null && answer.state() == QueueAnswer.State.WAITING) {
      answer = new QueueAnswer(answer.state(), answer.words() + "; " + missing, answer.shares());
    }
    return new QueueState(
        queue,
        entry == null && missing != null ? missing : unknown(queue, entry, facts),
        entry,
        answer,
        refused,
        more(seen, queue, kind),
        List.of());
  }

  private static QueueState ofNone(List<GenericKubernetesResource> left) {
    return new QueueState(null, null, null, null, null, List.of(), left);
  }

  private static List<GenericKubernetesResource> entries(
      ObservedDependents dependents, ObjectKind kind) {
    return dependents.objects().stream()
        .filter(object -> kind.kind().equals(object.getKind()))
        .toList();
  }

  private static List<QueueEntry> more(Observation seen, JobQueue queue, ObjectKind kind) {
    TrainingJob job = seen.job();
    ObservedDependents dependents = seen.dependents();
    QueueFacts facts = dependents.queueFacts();
    List<QueueEntry> more = new ArrayList<>();
    String first = job.names().queueEntry(1);
    for (GenericKubernetesResource entry : entries(dependents, kind)) {
      if (!first.equals(entry.getMetadata().getName())) {
        more.add(
            new QueueEntry(
                entry,
                unknown(queue, entry, facts) == null || isInUse(seen, entry)
                    ? queue.answer(entry, requireNonNullElse(facts, QueueFacts.NONE))
                    : withoutNodes(queue.answer(entry, QueueFacts.NONE))));
      }
    }
    return more;
  }

  /** What runs needs to know nothing more of nodes. */
  private static boolean isInUse(Observation seen, GenericKubernetesResource entry) {
    String uid = entry.getMetadata().getUid();
    return seen.pods().stream().anyMatch(pod -> uid != null && uid.equals(pod.queueEntry()));
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
   * Whether the job may have what belongs to its pods.
   *
   * @return null while that is not known
   */
  @Nullable Boolean mayStart() {
    if (unknown != null && !admitted()) {
      return null;
    }
    return queue == null ? left.isEmpty() : admitted();
  }

  /**
   * The job's place in its queue, for its pods.
   *
   * @param current the replicas that shall exist
   * @return null for a job that waits in no queue
   */
  public @Nullable QueuePlace place(CurrentReplicas current) {
    List<QueueEntry> admitted = admittedEntries();
    if (admitted.isEmpty()) {
      return null;
    }
    Map<ReplicaId, Map<String, String>> live = new LinkedHashMap<>();
    for (CurrentReplica replica : current.all()) {
      if (replica.pod() != null && replica.pod().live()) {
        live.put(replica.id(), replica.pod().nodeSelector());
      }
    }
    Set<String> present = new HashSet<>();
    for (CurrentReplica replica : current.all()) {
      if (replica.pod() != null) {
        present.add(replica.pod().uid());
      }
    }
    // One that was replaced on a lost node may never end.
    return new QueuePlace(
        new QueueShares(
                admitted,
                current,
                pod -> pod.ended() || (pod.lostSince() != null && !present.contains(pod.uid())))
            .ofReplicas(),
        live);
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
   * What a running job still waits for, or what it is to lose of what it has grown by.
   *
   * @return a sentence for people; null when it has all, or has not asked for more yet
   */
  public @Nullable String growth() {
    String leaves = growth(QueueAnswer.State.LEAVING, " is taken back: ", " are taken back: ");
    return leaves == null
        ? growth(QueueAnswer.State.WAITING, " more waits: ", " more wait: ")
        : leaves;
  }

  private @Nullable String growth(QueueAnswer.State state, String ofOne, String ofSeveral) {
    for (QueueEntry one : more) {
      if (queue != null && one.answer().state() == state && !one.answer().words().isEmpty()) {
        int pods = queue.asked(one.object()).values().stream().mapToInt(count -> count).sum();
        return pods + (pods == 1 ? ofOne : ofSeveral) + one.answer().words();
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
      return left.isEmpty() && unknown == null ? GangGate.OPEN : new GangGate.Opening();
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
    if (!left.isEmpty()) {
      return "the label of its queue was taken off: the job gives its share back, and starts without";
    }
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

  /**
   * What the replicas that are not done need beyond what the job was given. What an elastic job is
   * to lose and cannot lose yet is not needed.
   *
   * @return a sentence for people; null for nothing
   */
  private @Nullable String lack(CurrentReplicas current) {
    Map<String, Integer> given = given(current.seen().job().spec());
    for (Map.Entry<String, Integer> one : unfinished(current).entrySet()) {
      int ofType = given.getOrDefault(one.getKey(), 0);
      if (one.getValue() > ofType) {
        return "queues anew: "
            + one.getValue()
            + " pods of type "
            + one.getKey()
            + " are needed, "
            + ofType
            + " are admitted";
      }
    }
    return null;
  }

  /** By type, how many pods the job may have. */
  private Map<String, Integer> given(JobSpec spec) {
    Map<String, Integer> given = new LinkedHashMap<>();
    for (ReplicaType type : spec.types()) {
      for (QueueEntry one : admittedEntries()) {
        QueueAnswer.Share share = one.answer().share(type.name());
        given.merge(type.name(), share == null ? 0 : share.count(), Integer::sum);
      }
    }
    return given;
  }

  /**
   * By type, how many replicas are to have a pod.
   *
   * @param current the replicas, derived from an observation that is {@link #limited}
   * @return numbers of what the spec wants, without those that are done or gone for good
   */
  static Map<String, Integer> unfinished(CurrentReplicas current) {
    Map<String, Integer> counts =
        new LinkedHashMap<>(ReplicaLayout.counts(current.seen().job().spec()));
    done(current.seen(), current.ledger())
        .forEach((type, done) -> counts.computeIfPresent(type, (any, count) -> count - done));
    return counts;
  }

  /**
   * The replicas that need no pod any more: done, or gone for good.
   *
   * @param seen the job's world
   * @param ledger the ledger
   * @return their numbers by type
   */
  static Map<String, Integer> done(Observation seen, Ledger ledger) {
    Map<String, Integer> done = new LinkedHashMap<>();
    doneReplicas(seen, ledger).forEach(id -> done.merge(id.type(), 1, Integer::sum));
    return done;
  }

  private static Set<ReplicaId> doneReplicas(Observation seen, Ledger ledger) {
    return ended(seen, ledger, end -> end.succeeded() || end.tolerated());
  }

  private static Set<ReplicaId> ended(
      Observation seen, Ledger ledger, Predicate<Ledger.RecordedEnd> counts) {
    Set<String> succeeded =
        seen.pods().stream()
            .filter(pod -> pod.phase() == ObservedPod.Phase.SUCCEEDED && pod.endedByItself())
            .map(ObservedPod::uid)
            .collect(Collectors.toSet());
    Set<ReplicaId> ended = new LinkedHashSet<>();
    ledger
        .slots()
        .forEach(
            (id, slot) -> {
              Ledger.RecordedEnd end = slot.end();
              boolean counted =
                  end == null
                      ? slot.uid() != null && succeeded.contains(slot.uid())
                      : counts.test(end);
              if (counted) {
                ended.add(id);
              }
            });
    return ended;
  }

  /**
   * The observation of a job that may not have more replicas than its queue gives it.
   *
   * @return the same world with a spec that asks for no more than the job was given, beside those
   *     that are done. The number of a job that is not elastic is lowered by growth that is taken
   *     back alone, and not otherwise once it is reached: an attempt that needs more queues anew
   */
  Observation limited(Observation seen) {
    TrainingJob job = seen.job();
    JobSpec spec = job.spec();
    if (unknown != null && answer == null) {
      return withSpec(seen, asPresent(job));
    }
    if (!admitted()) {
      return seen;
    }
    boolean held = job.ledger().hold() != null;
    Map<String, Integer> most = new LinkedHashMap<>();
    Map<String, Integer> given = given(spec);
    // After a hold all replicas start anew.
    Set<ReplicaId> done = held ? Set.of() : doneReplicas(seen, job.ledger());
    for (ReplicaType type : spec.types()) {
      int share = given.getOrDefault(type.name(), 0);
      most.put(
          type.name(),
          spec.elastic() == null
              ? most(type.name(), share, done)
              : share + (int) done.stream().filter(id -> id.type().equals(type.name())).count());
    }
    JobSpec limited = spec;
    if (spec.elastic() != null) {
      // Where too little is left, no node fails for it: the job stops and queues anew.
      limited =
          held || nodesGiven(seen, given) >= spec.elastic().minReplicas()
              ? asGiven(spec, spec.elastic(), most)
              : spec;
    } else if (!held) {
      Map<String, Integer> lost = lost();
      job.ledger()
          .replicas()
          .forEach(
              (type, present) ->
                  most.merge(
                      type,
                      present.size() - lost.getOrDefault(type.toLowerCase(Locale.ROOT), 0),
                      Math::max));
      limited = spec.limitedTo(most);
    }
    return withSpec(seen, limited);
  }

  /**
   * How many replicas, from the first on, there may be so that no more of them need a pod than have
   * a share: rather than one that runs, a done one behind it is given up.
   */
  private static int most(String type, int share, Set<ReplicaId> done) {
    int replicas = 0;
    int free = share;
    while (free > 0 || done.contains(new ReplicaId(type, replicas))) {
      free -= done.contains(new ReplicaId(type, replicas)) ? 0 : 1;
      replicas++;
    }
    return replicas;
  }

  /** How many nodes have a share, or have succeeded. */
  private static int nodesGiven(Observation seen, Map<String, Integer> given) {
    return given.values().stream().mapToInt(count -> count).sum()
        + ended(seen, seen.job().ledger(), Ledger.RecordedEnd::succeeded).size();
  }

  /** By type in lower case, what the job has grown by and its queue takes back. */
  private Map<String, Integer> lost() {
    Map<String, Integer> lost = new LinkedHashMap<>();
    for (QueueEntry one : more) {
      if (queue != null && one.answer().state() == QueueAnswer.State.LEAVING) {
        queue.asked(one.object()).forEach((type, count) -> lost.merge(type, count, Integer::sum));
      }
    }
    return lost;
  }

  private static Observation withSpec(Observation seen, JobSpec limited) {
    return limited == seen.job().spec() ? seen : seen.with(seen.job().withSpec(limited));
  }

  /** Until it is known what the job was given, it is what it was. */
  private static JobSpec asPresent(TrainingJob job) {
    JobSpec spec = job.spec();
    Map<String, Integer> present = new LinkedHashMap<>();
    job.ledger().replicas().forEach((type, indexes) -> present.put(type, indexes.size()));
    Elasticity elastic = spec.elastic();
    if (elastic == null) {
      return spec.limitedTo(present);
    }
    int nodes = present.values().stream().mapToInt(count -> count).sum();
    return nodes < elastic.minReplicas() || nodes >= elastic.expectedReplicas()
        ? spec
        : spec.scaledTo(nodes);
  }

  /** As many nodes as find a share, type by type; no fewer than the job has to have. */
  private static JobSpec asGiven(JobSpec spec, Elasticity elastic, Map<String, Integer> most) {
    for (int nodes = elastic.expectedReplicas(); nodes > elastic.minReplicas(); nodes--) {
      boolean fits =
          ReplicaLayout.counts(spec.scaledTo(nodes)).entrySet().stream()
              .allMatch(type -> type.getValue() <= most.getOrDefault(type.getKey(), 0));
      if (fits) {
        return nodes == elastic.expectedReplicas() ? spec : spec.scaledTo(nodes);
      }
    }
    return spec.scaledTo(elastic.minReplicas());
  }

  /** Whether the queue takes back a share. */
  boolean takesBack() {
    return entries().stream().anyMatch(one -> one.answer().state() == QueueAnswer.State.LEAVING);
  }

  /**
   * Whether the queue takes back the share of a pod.
   *
   * @param pod a pod of the job
   */
  boolean takesBack(ObservedPod pod) {
    return entries().stream()
        .anyMatch(
            one ->
                one.answer().state() == QueueAnswer.State.LEAVING
                    && one.uid().equals(pod.queueEntry()));
  }

  /**
   * Whether a pod has no share any more: the queue takes it back, or its entry is gone.
   *
   * @param pod a pod of the job
   * @return false while nothing of the job is admitted, and the job stops as a whole
   */
  boolean isWithoutShare(ObservedPod pod) {
    return admitted()
        && admittedEntries().stream().noneMatch(one -> one.uid().equals(pod.queueEntry()));
  }
}
