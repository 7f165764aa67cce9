package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.dependents.DependentObject;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.QueueFacts;
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
    if (spec.queue() == null) {
      // What the pods use is theirs until they have ended.
      return isUsed() ? queue.left() : List.of();
    }
    List<GenericKubernetesResource> wanted = new ArrayList<>();
    GenericKubernetesResource first = first();
    if (first != null) {
      wanted.add(first);
    }
    if (grows()) {
      wanted.addAll(growth());
    } else if (isUsed()) {
      queue.more().stream()
          .filter(one -> one.answer().state() != QueueAnswer.State.WAITING)
          .forEach(one -> wanted.add(one.object()));
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
    // What it refers to and is not there would be taken for the least priority.
    if (facts == null
        || named.missing(spec, facts) != null
        || (present != null && !named.takesChanges(present))) {
      return wantsPods || isUsed() ? present : null;
    }
    if (wantsPods) {
      return DependentObject.queueEntry(
          seen.job(),
          kind,
          seen.job().names().queueEntry(1),
          named.entry(kind, spec, facts, present),
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
    QueueShares shares = shares();
    Map<String, Map<String, Integer>> needs = shares.needs(target());
    Map<String, Integer> missing = new LinkedHashMap<>(ReplicaLayout.counts(spec));
    QueueState.done(seen, plan.ledger())
        .forEach((type, done) -> missing.computeIfPresent(type, (any, count) -> count - done));
    queue.admittedEntries().forEach(one -> take(missing, given(one)));
    List<QueueEntry> waiting = new ArrayList<>();
    for (QueueEntry one : queue.more()) {
      switch (one.answer().state()) {
        case WAITING -> waiting.add(one);
        case ADMITTED -> {
          if (needs.getOrDefault(one.uid(), Map.of()).values().stream()
              .anyMatch(count -> count > 0)) {
            wanted.add(one.object());
          }
        }
        case LEAVING -> {
          wanted.add(one.object());
          if (one.object().getMetadata().getDeletionTimestamp() == null) {
            // It asks for the same again once it has given back.
            take(missing, Objects.requireNonNull(queue.queue()).asked(one.object()));
          }
        }
        default -> {
          // One that is used up goes.
        }
      }
    }
    wanted.addAll(asking(missing, waiting));
    return wanted;
  }

  /** What waits asks for what is missing and no more; when nothing waits, a new entry does. */
  private List<GenericKubernetesResource> asking(
      Map<String, Integer> missing, List<QueueEntry> waiting) {
    ObjectKind kind = seen.dependents().queueKind();
    JobQueue named = queue.queue();
    GenericKubernetesResource first = queue.entry();
    if (kind == null || named == null || first == null) {
      return waiting.stream().map(QueueEntry::object).toList();
    }
    List<GenericKubernetesResource> asking = new ArrayList<>();
    String name = null;
    for (QueueEntry one : waiting) {
      if (named.takesChanges(one.object())) {
        name = name != null ? name : one.object().getMetadata().getName();
      } else if (missing.values().stream().anyMatch(count -> count > 0)) {
        // It has a share, and waits for a check.
        take(missing, named.asked(one.object()));
        asking.add(one.object());
      }
    }
    Map<String, Integer> more = new LinkedHashMap<>(missing);
    more.values().removeIf(count -> count <= 0);
    String asked = name == null ? freeName() : name;
    if (!more.isEmpty() && asked != null) {
      asking.add(
          DependentObject.queueEntry(
              seen.job(),
              kind,
              asked,
              named.growth(spec, more, first),
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

  private static Map<String, Integer> given(QueueEntry entry) {
    Map<String, Integer> given = new LinkedHashMap<>();
    entry.answer().shares().forEach((type, share) -> given.put(type, share.count()));
    return given;
  }

  /** Types are in lower case on the queue's side. */
  private static void take(Map<String, Integer> from, Map<String, Integer> what) {
    from.replaceAll((type, count) -> count - what.getOrDefault(type.toLowerCase(Locale.ROOT), 0));
  }

  private QueueShares shares() {
    return new QueueShares(
        queue.admittedEntries(),
        Objects.requireNonNull(plan.current()),
        pod -> pod.ended() || pod.givenUp(settings.nodeLossGrace(), now));
  }

  /** By type, how many replicas are to have a pod: of a job that has ended, none. */
  private Map<String, Integer> target() {
    return plan.stage() == Plan.Stage.ENDED
        ? Map.of()
        : QueueState.unfinished(Objects.requireNonNull(plan.current()));
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
    QueueShares shares = shares();
    boolean waits =
        plan.ledger().hold() == Ledger.Hold.WAITING && plan.stage() == Plan.Stage.HELD && !isUsed();
    for (QueueEntry one : queue.entries()) {
      boolean goesOn = one.object() != queue.entry() && grows() && seen.creating().isEmpty();
      if (one.answer().state() == QueueAnswer.State.LEAVING
          && (waits || (goesOn && !shares.isUsed(one)))) {
        write(writes, one, named.givenBack(one.object(), now));
      }
    }
    // What has failed may need its share again, until it is decided.
    if ((plan.stage() == Plan.Stage.ACTIVE || plan.stage() == Plan.Stage.ENDED)
        && plan.failing() == null
        && queue.admitted()) {
      Map<String, Map<String, Integer>> needs = shares.needs(target());
      Map<String, List<CurrentReplica>> replicas = shares.replicas();
      for (QueueEntry one : queue.admittedEntries()) {
        boolean started = haveStarted(one, replicas.getOrDefault(one.uid(), List.of()));
        write(
            writes,
            one,
            named.told(one.object(), needs.getOrDefault(one.uid(), Map.of()), started, now));
      }
    }
    writes.removeIf(write -> !kept.contains(ObservedDependents.key(write.kind(), write.name())));
    return writes;
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
   * Whether the pods have started that a share was given for: of the first share of an elastic job
   * as many as the job has to have, else all.
   */
  private boolean haveStarted(QueueEntry entry, List<CurrentReplica> ofEntry) {
    if (plan.stage() != Plan.Stage.ACTIVE) {
      return false;
    }
    Elasticity elastic = spec.elastic();
    boolean isFirst = entry.object() == queue.entry();
    List<CurrentReplica> replicas = isFirst && elastic != null ? plan.replicas() : ofEntry;
    long started = replicas.stream().filter(QueueEntries::hasStarted).count();
    int enough = isFirst && elastic != null ? elastic.minReplicas() : replicas.size();
    return started >= Math.min(enough, replicas.size());
  }

  private static boolean hasStarted(CurrentReplica replica) {
    return QueueShares.needsNoPod(replica)
        || (replica.pod() != null && replica.pod().readySince() != null);
  }
}
