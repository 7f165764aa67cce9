package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.dependents.DependentObject;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The life of a job's entries in its queue (docs/design/queue.md): one is there before the pods,
 * others ask for what a running job grows by, and each goes, or gives back its share, once the pods
 * have ended that used it, because the next job begins at once.
 */
final class QueueEntries {

  private final Observation seen;
  private final Plan plan;
  private final QueueState queue;
  private final PlanSettings settings;
  private final Instant now;
  private final JobSpec spec;

  QueueEntries(Observation seen, Plan plan, QueueState queue, PlanSettings settings, Instant now) {
    this.seen = seen;
    this.plan = plan;
    this.queue = queue;
    this.settings = settings;
    this.now = now;
    this.spec = seen.job().spec();
  }

  /**
   * The entries that shall exist.
   *
   * @return those to apply, and as they are those that stay as they are; empty also when nothing
   *     can be decided yet
   */
  List<GenericKubernetesResource> wanted() {
    List<GenericKubernetesResource> wanted = new ArrayList<>();
    GenericKubernetesResource first = first();
    if (first != null) {
      wanted.add(first);
    }
    if (grows()) {
      wanted.addAll(growth());
    } else if (isUsed()) {
      queue.more().forEach(one -> wanted.add(one.object()));
    }
    return wanted;
  }

  /** The entry that the job starts with; null when it shall have none. */
  private @Nullable GenericKubernetesResource first() {
    ObjectKind kind = seen.dependents().queueKind();
    QueueFacts facts = seen.dependents().queueFacts();
    JobQueue named = spec.queue();
    if (kind == null || named == null) {
      return null;
    }
    GenericKubernetesResource present = queue.entry();
    boolean wantsPods =
        isActive()
            || (plan.stage() == Plan.Stage.HELD
                && plan.ledger().hold() == Ledger.Hold.WAITING
                && !HeldJob.isUsedUp(plan, queue));
    if (facts == null || (present != null && !named.takesChanges(present))) {
      return wantsPods || isUsed() ? present : null;
    }
    if (wantsPods) {
      return DependentObject.queueEntry(
          seen.job(),
          kind,
          seen.job().names().queueEntry(1),
          named.entry(kind, spec, facts),
          named.labels(seen.job().uid()));
    }
    return isUsed() ? present : null;
  }

  private boolean isActive() {
    return plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.RESTARTING;
  }

  private boolean grows() {
    return isActive() && plan.current() != null && queue.admitted();
  }

  /** Whether a pod may still use the job's share. */
  private boolean isUsed() {
    return !seen.creating().isEmpty()
        || seen.pods().stream()
            .anyMatch(pod -> !pod.ended() && !pod.givenUp(settings.nodeLossGrace(), now));
  }

  /**
   * The entries beside the first of a job that runs: those that hold a share in use, those that
   * give theirs back, and one that asks for what is missing.
   */
  private List<GenericKubernetesResource> growth() {
    List<GenericKubernetesResource> wanted = new ArrayList<>();
    Map<String, Integer> missing = new LinkedHashMap<>(ReplicaLayout.counts(spec));
    Map<QueueEntry, Map<String, Integer>> needed = allotted();
    needed.keySet().forEach(one -> take(missing, given(one)));
    if (spec.elastic() != null) {
      QueueState.done(seen.job()).forEach((type, done) -> missing.merge(type, -done, Integer::sum));
    }
    List<QueueEntry> waiting = new ArrayList<>();
    for (QueueEntry one : queue.more()) {
      Map<String, Integer> need = needed.get(one);
      if (need == null && one.answer().state() == QueueAnswer.State.WAITING) {
        waiting.add(one);
      } else if (need == null
          ? one.answer().state() == QueueAnswer.State.LEAVING
          : isInUse(need) || !isSuperfluous(missing, given(one))) {
        wanted.add(one.object());
      }
    }
    wanted.addAll(asking(missing, waiting));
    return wanted;
  }

  /** What waits asks for what is missing and no more; when nothing waits, a new entry does. */
  private List<GenericKubernetesResource> asking(
      Map<String, Integer> missing, List<QueueEntry> waiting) {
    ObjectKind kind = seen.dependents().queueKind();
    QueueFacts facts = seen.dependents().queueFacts();
    JobQueue named = Objects.requireNonNull(queue.queue());
    if (kind == null || facts == null) {
      return waiting.stream().map(QueueEntry::object).toList();
    }
    List<GenericKubernetesResource> asking = new ArrayList<>();
    for (QueueEntry one : waiting) {
      if (!named.takesChanges(one.object())) {
        take(missing, named.asked(one.object()));
        asking.add(one.object());
      }
    }
    Map<String, Integer> more = new LinkedHashMap<>(missing);
    more.values().removeIf(count -> count <= 0);
    String name =
        waiting.stream()
            .filter(one -> named.takesChanges(one.object()))
            .map(one -> one.object().getMetadata().getName())
            .findFirst()
            .orElseGet(this::freeName);
    if (!more.isEmpty() && name != null) {
      asking.add(
          DependentObject.queueEntry(
              seen.job(),
              kind,
              name,
              named.growth(kind, spec, more, facts),
              named.labels(seen.job().uid())));
    }
    return asking;
  }

  private @Nullable String freeName() {
    Set<String> taken =
        queue.more().stream()
            .map(one -> one.object().getMetadata().getName())
            .collect(Collectors.toSet());
    for (int number = 2; number <= JobQueue.MOST_ENTRIES; number++) {
      String name = seen.job().names().queueEntry(number);
      if (!taken.contains(name)) {
        return name;
      }
    }
    return null;
  }

  /** An elastic job has as many replicas as it holds shares; others do not get done ones back. */
  private Map<String, Integer> given(QueueEntry entry) {
    Map<String, Integer> given = new LinkedHashMap<>();
    entry
        .answer()
        .shares()
        .forEach(
            (type, share) ->
                given.put(type, spec.elastic() == null ? share.granted() : share.count()));
    return given;
  }

  /** Types are in lower case on the queue's side. */
  private static void take(Map<String, Integer> from, Map<String, Integer> what) {
    from.replaceAll((type, count) -> count - what.getOrDefault(type.toLowerCase(Locale.ROOT), 0));
  }

  private static boolean isInUse(Map<String, Integer> need) {
    return need.values().stream().anyMatch(count -> count > 0);
  }

  /** Whether the job has all that it wants without this share as well. */
  private boolean isSuperfluous(Map<String, Integer> missing, Map<String, Integer> given) {
    return spec.elastic() != null
        || missing.entrySet().stream()
            .allMatch(
                one ->
                    one.getValue() + given.getOrDefault(one.getKey().toLowerCase(Locale.ROOT), 0)
                        <= 0);
  }

  /**
   * How much each admitted entry gives of what the job needs, the first before the others: what is
   * given back is given back by those that came last.
   */
  private Map<QueueEntry, Map<String, Integer>> allotted() {
    Map<String, Integer> open = new LinkedHashMap<>(needed());
    Map<QueueEntry, Map<String, Integer>> allotted = new LinkedHashMap<>();
    for (QueueEntry one : queue.admittedEntries()) {
      Map<String, Integer> ofEntry = new LinkedHashMap<>();
      open.replaceAll(
          (type, count) -> {
            QueueAnswer.Share share = one.answer().share(type);
            int part = Math.min(count, share == null ? 0 : share.count());
            ofEntry.put(type, part);
            return count - part;
          });
      allotted.put(one, ofEntry);
    }
    return allotted;
  }

  /** What runs, and of an elastic job also what is to run. */
  private Map<String, Integer> needed() {
    CurrentReplicas current = Objects.requireNonNull(plan.current());
    if (plan.stage() == Plan.Stage.ENDED) {
      return unended();
    }
    Map<String, Integer> needed = QueueState.needed(current);
    if (spec.elastic() != null) {
      Map<String, Integer> done = QueueState.done(seen.job());
      ReplicaLayout.counts(current.seen().job().spec())
          .forEach(
              (type, count) -> needed.merge(type, count - done.getOrDefault(type, 0), Math::max));
    }
    return needed;
  }

  /** What a job that has ended still uses. */
  private Map<String, Integer> unended() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (ReplicaType type : spec.types()) {
      counts.put(
          type.name(),
          (int)
              seen.pods().stream()
                  .filter(pod -> !pod.ended() && pod.replica().type().equals(type.name()))
                  .count());
    }
    return counts;
  }

  /**
   * What the entries are to say now: which share is not used any more, and that pods have started.
   *
   * @param kept the objects that stay ({@link ObservedDependents#key}): the others are about to go,
   *     and say nothing any more
   * @return the writes, at most one for each entry
   */
  List<PlannedAction.WriteStatus> statuses(Set<String> kept) {
    List<PlannedAction.WriteStatus> writes = new ArrayList<>();
    JobQueue named = queue.queue();
    if (named == null || plan.current() == null) {
      return writes;
    }
    boolean mayGiveBack =
        plan.ledger().hold() == Ledger.Hold.WAITING && plan.stage() == Plan.Stage.HELD && !isUsed();
    for (QueueEntry one : queue.entries()) {
      if (mayGiveBack && one.answer().state() == QueueAnswer.State.LEAVING) {
        write(writes, one, named.givenBack(one.object(), now));
      }
    }
    if ((plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.ENDED)
        && queue.admitted()) {
      Map<QueueEntry, Map<String, Integer>> allotted = allotted();
      allotted.forEach(
          (one, need) ->
              write(
                  writes,
                  one,
                  named.told(one.object(), need, haveStarted(one.object() == queue.entry()), now)));
      boolean others = coverAll(allotted);
      for (QueueEntry one : queue.more()) {
        if (others && one.answer().state() == QueueAnswer.State.LEAVING) {
          write(writes, one, named.givenBack(one.object(), now));
        }
      }
    }
    writes.removeIf(write -> !kept.contains(ObservedDependents.key(write.kind(), write.name())));
    return writes;
  }

  /** Whether the shares of admitted entries are enough for all that the job needs. */
  private boolean coverAll(Map<QueueEntry, Map<String, Integer>> allotted) {
    return needed().entrySet().stream()
        .allMatch(
            one ->
                one.getValue()
                    <= allotted.values().stream()
                        .mapToInt(part -> part.getOrDefault(one.getKey(), 0))
                        .sum());
  }

  private void write(
      List<PlannedAction.WriteStatus> writes,
      QueueEntry entry,
      @Nullable Map<String, Object> status) {
    ObjectKind kind = seen.dependents().queueKind();
    GenericKubernetesResource object = entry.object();
    if (status == null || kind == null || object.getMetadata().getDeletionTimestamp() != null) {
      return;
    }
    writes.add(
        new PlannedAction.WriteStatus(
            kind,
            object.getMetadata().getName(),
            object.getMetadata().getUid(),
            object.getMetadata().getResourceVersion(),
            status));
  }

  /**
   * Whether the pods have started that a share was given for: an elastic job starts with as many as
   * it has to have, what it grows by with all.
   */
  private boolean haveStarted(boolean first) {
    List<CurrentReplica> replicas = plan.replicas();
    int enough = first && spec.elastic() != null ? spec.elastic().minReplicas() : replicas.size();
    return plan.stage() == Plan.Stage.ACTIVE
        && replicas.stream().filter(QueueEntries::hasStarted).count()
            >= Math.min(enough, replicas.size());
  }

  private static boolean hasStarted(CurrentReplica replica) {
    return replica.done()
        || isGoneForGood(replica)
        || (replica.pod() != null && replica.pod().readySince() != null);
  }

  private static boolean isGoneForGood(CurrentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    return end != null && end.tolerated();
  }
}
