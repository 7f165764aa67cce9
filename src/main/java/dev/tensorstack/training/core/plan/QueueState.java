package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.pod.QueuePlace;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
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
 */
public record QueueState(
    @Nullable JobQueue queue,
    @Nullable String unknown,
    @Nullable GenericKubernetesResource entry,
    @Nullable QueueAnswer answer,
    @Nullable WriteFailure refused) {

  private static final QueueState NONE = new QueueState(null, null, null, null, null);

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
          : new QueueState(queue, "", null, null, null);
    }
    String name = job.names().queueEntry();
    GenericKubernetesResource entry = dependents.find(kind, name);
    WriteFailure refused = seen.refused().get(ObjectWrite.of(kind, name));
    QueueFacts facts = dependents.queueFacts();
    // What the queue says of the job does not depend on what is known of nodes.
    QueueAnswer answer =
        entry == null ? null : queue.answer(entry, requireNonNullElse(facts, QueueFacts.NONE));
    return new QueueState(queue, unknown(queue, entry, facts), entry, answer, refused);
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
    return entry == null || answer == null ? null : new QueuePlace(entry, answer);
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
    return admitted() ? lack(answer, current) : answer.words();
  }

  /** What the replicas that are not done need beyond what the job was given; null for nothing. */
  private static @Nullable String lack(QueueAnswer answer, CurrentReplicas current) {
    for (Map.Entry<String, Integer> one : unfinished(current).entrySet()) {
      QueueAnswer.Share share = answer.share(one.getKey());
      int given = share == null ? 0 : share.count();
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

  private static Map<String, Integer> unfinished(CurrentReplicas current) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    // An elastic job has as many replicas as it was given shares, done or not.
    boolean all = current.seen().job().spec().elastic() != null;
    for (CurrentReplica replica : current.all()) {
      if (all || !replica.done()) {
        counts.merge(replica.id().type(), 1, Integer::sum);
      }
    }
    return counts;
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
   * The observation of an elastic job that may not have more nodes than its queue gives it.
   *
   * @return the same world with a spec that asks for no more than the job was given
   */
  Observation limited(Observation seen) {
    JobSpec spec = seen.job().spec();
    if (!admitted() || answer == null || spec.elastic() == null) {
      return seen;
    }
    int given = Math.max(answer.pods(), spec.elastic().minReplicas());
    return given >= spec.elastic().expectedReplicas()
        ? seen
        : seen.with(seen.job().withSpec(spec.scaledTo(given)));
  }
}
