package dev.tensorstack.training.core.model;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What places the pods of a job, with the job's settings for it: what pods carry so that it knows
 * them, and its PodGroup (docs/design/gang.md).
 */
public interface GangScheduler {

  /**
   * The kinds of PodGroup that it understands.
   *
   * @return the kinds, the one to prefer first; empty when pods are placed one by one
   */
  List<ObjectKind> kinds();

  /**
   * The queue in which the job waits.
   *
   * @return its name; null when there is none, or when the scheduler chooses it
   */
  @Nullable String queue();

  /**
   * Marks a pod for the scheduler.
   *
   * @param type the pod's replica type
   * @param pods how many pods the job has
   * @param group the group that the pod joins; null when it shall be placed by itself
   * @param metadata the pod's metadata, with labels and annotations, which is changed
   * @param pod the pod's spec, which is changed
   */
  void mark(String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod);

  /**
   * The spec of the job's PodGroup.
   *
   * @param kind the kind to make, one of {@link #kinds}
   * @param members the pods of the gang
   * @return maps, lists, texts, numbers and booleans, without nulls
   */
  Map<String, Object> podGroup(ObjectKind kind, GangMembers members);

  /**
   * Whether the spec of the PodGroup depends on which of the job's pods are the most important.
   *
   * @param pods how many pods the job has
   * @return true when {@link #podGroup} needs them in the order of their priority
   */
  default boolean countsMostImportantPods(int pods) {
    return false;
  }

  /**
   * Whether a pod created now shall name its job's group.
   *
   * @param kind the kind of its group
   * @param members the pods of the gang
   * @return false for a group that can never be complete again
   */
  default boolean takesNewPods(ObjectKind kind, GangMembers members) {
    return true;
  }

  /**
   * Why a group waits.
   *
   * @param podGroup the job's PodGroup as the API server has it
   * @return the words of the scheduler; null when the group is scheduled or says nothing
   */
  default @Nullable String waiting(GenericKubernetesResource podGroup) {
    return null;
  }

  /**
   * Why pods may not be created although their group is there.
   *
   * @param podGroup the job's PodGroup as the API server has it
   * @return a sentence for people; null when they may
   */
  default @Nullable String holdsBack(GenericKubernetesResource podGroup) {
    return null;
  }

  /**
   * The kind of the queues in which its gangs wait, where they say more than the PodGroup does.
   *
   * @return a kind without namespaces; null when it has none, or when they say nothing
   */
  default @Nullable ObjectKind queueKind() {
    return null;
  }

  /**
   * Reads a queue.
   *
   * @param queue an object of {@link #queueKind}
   * @return what counts of it
   */
  default GangFacts.Queue read(GenericKubernetesResource queue) {
    throw new IllegalArgumentException(this + " has no queues");
  }

  /**
   * Whether a group waits for something of which other objects may say more.
   *
   * @param podGroup the job's PodGroup as the API server has it
   * @return true when {@link #hindrance} may know more with facts
   */
  default boolean asksForFacts(GenericKubernetesResource podGroup) {
    return false;
  }

  /**
   * What keeps a group waiting outside of itself: its queue, or what the scheduler says elsewhere.
   *
   * @param podGroup the job's PodGroup as the API server has it
   * @param facts what is known; {@link GangFacts#NONE} when nothing is
   * @return a sentence for people; null when nothing is known to
   */
  default @Nullable String hindrance(GenericKubernetesResource podGroup, GangFacts facts) {
    return null;
  }

  /**
   * Whether the scheduler looks at a gang that waits only when a PodGroup changes, and not when
   * there is room.
   *
   * @return true for one that somebody has to wake
   */
  default boolean hasToBeWoken() {
    return false;
  }

  /**
   * Annotations of the job's PodGroup.
   *
   * @return values by key
   */
  default Map<String, String> groupAnnotations() {
    return Map.of();
  }

  /**
   * What to do so that the cluster serves the first of {@link #kinds}.
   *
   * @return a clause for people
   */
  String remedy();
}
