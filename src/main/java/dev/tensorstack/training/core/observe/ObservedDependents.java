package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of the objects beside a job's pods: its PodGroup, its HorizontalPodAutoscaler,
 * TensorBoard's Deployment and Service.
 *
 * @param objects those that belong to the job, as the API server has them, of all kinds
 * @param podGroupKind the kind of PodGroup that the job's scheduler understands, in the version
 *     that the cluster serves; null when the job names no gang scheduler, when the cluster does not
 *     serve its kind, or when that is not known yet
 * @param unknown kinds of which it is not known yet what exists, or what the job needs: nothing is
 *     decided about them
 * @param settled objects ({@link #key}) in the very version that the operator's last write has
 *     made: what differs from the wish in spite of it, the API server wants so
 * @param tensorboardTrouble why TensorBoard's pod does not start; null when it does, when there is
 *     none, or when that is not known yet
 * @param queueKind the kind of entry in the job's queue, in the version that the cluster serves;
 *     null when the job waits in no queue, when the cluster serves none, or when that is not known
 *     yet
 * @param queueFacts what the cluster says of queues; null when the job waits in none, or when that
 *     is not known yet
 * @param podPriorities how important pods are to the scheduler, where the job's PodGroup depends on
 *     it; all equally elsewhere
 * @param gangFacts what is known of a PodGroup that waits beside itself
 * @param gangWakes what is known of when a scheduler has to be woken, where the job's has to be
 */
public record ObservedDependents(
    List<GenericKubernetesResource> objects,
    @Nullable ObjectKind podGroupKind,
    Set<ObjectKind> unknown,
    Set<String> settled,
    @Nullable TensorboardTrouble tensorboardTrouble,
    @Nullable ObjectKind queueKind,
    @Nullable QueueFacts queueFacts,
    PodPriorities podPriorities,
    GangFacts gangFacts,
    GangWakes gangWakes) {

  /**
   * What is seen where nothing is known of TensorBoard's pod.
   *
   * @param objects see above
   * @param podGroupKind see above
   * @param unknown see above
   * @param settled see above
   */
  public ObservedDependents(
      List<GenericKubernetesResource> objects,
      @Nullable ObjectKind podGroupKind,
      Set<ObjectKind> unknown,
      Set<String> settled) {
    this(
        objects,
        podGroupKind,
        unknown,
        settled,
        null,
        null,
        null,
        PodPriorities.EQUAL,
        GangFacts.NONE,
        GangWakes.NONE);
  }

  /** Nothing is there, nothing was refused. */
  public static final ObservedDependents NONE =
      new ObservedDependents(List.of(), null, Set.of(), Set.of());

  /**
   * The same with what is known of TensorBoard's pod.
   *
   * @param trouble why it does not start; null when it does
   * @return what is seen
   */
  public ObservedDependents with(@Nullable TensorboardTrouble trouble) {
    return trouble == null
        ? this
        : new ObservedDependents(
            objects,
            podGroupKind,
            unknown,
            settled,
            trouble,
            queueKind,
            queueFacts,
            podPriorities,
            gangFacts,
            gangWakes);
  }

  /**
   * The same with what is known of the job's queue.
   *
   * @param kind the kind of entry that the cluster serves, or null
   * @param facts what the cluster says of queues; null when that is not known
   * @return what is seen
   */
  public ObservedDependents with(@Nullable ObjectKind kind, @Nullable QueueFacts facts) {
    return new ObservedDependents(
        objects,
        podGroupKind,
        unknown,
        settled,
        tensorboardTrouble,
        kind,
        facts,
        podPriorities,
        gangFacts,
        gangWakes);
  }

  /**
   * The same with what is known of the pods' importance.
   *
   * @param priorities how important pods are
   * @return what is seen
   */
  public ObservedDependents with(PodPriorities priorities) {
    return new ObservedDependents(
        objects,
        podGroupKind,
        unknown,
        settled,
        tensorboardTrouble,
        queueKind,
        queueFacts,
        priorities,
        gangFacts,
        gangWakes);
  }

  /**
   * The same with what is known of a PodGroup that waits.
   *
   * @param facts what is known beside the PodGroup itself
   * @return what is seen
   */
  public ObservedDependents with(GangFacts facts) {
    return new ObservedDependents(
        objects,
        podGroupKind,
        unknown,
        settled,
        tensorboardTrouble,
        queueKind,
        queueFacts,
        podPriorities,
        facts,
        gangWakes);
  }

  /**
   * The same with what is known of when a scheduler has to be woken.
   *
   * @param wakes what is known
   * @return what is seen
   */
  public ObservedDependents with(GangWakes wakes) {
    return new ObservedDependents(
        objects,
        podGroupKind,
        unknown,
        settled,
        tensorboardTrouble,
        queueKind,
        queueFacts,
        podPriorities,
        gangFacts,
        wakes);
  }

  /**
   * An object of the job.
   *
   * @param kind its kind
   * @param name its name
   * @return the object as the API server has it, perhaps being deleted; null when there is none
   */
  public @Nullable GenericKubernetesResource find(ObjectKind kind, String name) {
    for (GenericKubernetesResource object : objects) {
      if (key(kind, name).equals(key(object))) {
        return object;
      }
    }
    return null;
  }

  /**
   * How an object is called in maps and messages.
   *
   * @param kind its kind
   * @param name its name
   * @return for example {@code Deployment.apps mnist-12e8d-tensorboard}
   */
  public static String key(ObjectKind kind, String name) {
    return kind + " " + name;
  }

  /**
   * How an object is called in maps and messages.
   *
   * @param object the object
   * @return for example {@code Deployment.apps mnist-12e8d-tensorboard}
   */
  public static String key(GenericKubernetesResource object) {
    String apiVersion = object.getApiVersion();
    int slash = apiVersion.indexOf('/');
    return object.getKind()
        + (slash < 0 ? "" : "." + apiVersion.substring(0, slash))
        + " "
        + object.getMetadata().getName();
  }
}
