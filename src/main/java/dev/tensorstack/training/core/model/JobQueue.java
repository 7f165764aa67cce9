package dev.tensorstack.training.core.model;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A queue that lends a job its share of the cluster: the operator owns an object in it, the job's
 * entry, and has pods only while the entry is admitted (docs/design/queue.md).
 */
public interface JobQueue {

  /**
   * How many entries a job has at most: one for its start, and one for each step by which it has
   * grown since.
   */
  int MOST_ENTRIES = 64;

  /**
   * The kinds of entry that it understands.
   *
   * @return the kinds, the one to prefer first
   */
  List<ObjectKind> kinds();

  /**
   * The queue's name.
   *
   * @return its name as the user has written it
   */
  String name();

  /**
   * The kinds of objects of the cluster that its entries refer to.
   *
   * @param kind the kind of entry, one of {@link #kinds}
   * @return the kinds
   */
  List<ObjectKind> factKinds(ObjectKind kind);

  /**
   * Reads the objects that entries refer to.
   *
   * @param objects all objects of the cluster of each of {@link #factKinds}
   * @return what they say
   */
  QueueFacts facts(Map<ObjectKind, List<GenericKubernetesResource>> objects);

  /**
   * What the spec of a job's entry refers to and is not there, or not yet.
   *
   * @param job what the job is to do
   * @param facts what the cluster says of queues
   * @return a sentence for people; null when all is there
   */
  @Nullable String missing(JobSpec job, QueueFacts facts);

  /**
   * The spec of a job's entry.
   *
   * @param kind the kind to make, one of {@link #kinds}
   * @param job what the job is to do
   * @param facts what the cluster says of queues, of which nothing is {@link #missing}
   * @param present the entry as the API server has it: what the queue itself keeps up to date there
   *     stays; null when there is none
   * @return maps, lists, texts, numbers and booleans, without nulls
   */
  Map<String, Object> entry(
      ObjectKind kind, JobSpec job, QueueFacts facts, @Nullable GenericKubernetesResource present);

  /**
   * The spec of an entry by which a running job asks for more replicas. It is given what fits, or
   * all where replicas of several types are missing.
   *
   * @param job what the job is to do
   * @param more by type, how many replicas are missing, each at least 1
   * @param first the entry that the job started with, as the API server has it
   * @return maps, lists, texts, numbers and booleans, without nulls
   */
  Map<String, Object> growth(
      JobSpec job, Map<String, Integer> more, GenericKubernetesResource first);

  /**
   * How many replicas an entry asks for.
   *
   * @param entry the job's entry as the API server has it
   * @return numbers by type of replica in lower case
   */
  Map<String, Integer> asked(GenericKubernetesResource entry);

  /**
   * The labels that all entries of a job have, whoever makes them.
   *
   * @param uid the job's uid
   * @return labels
   */
  Map<String, String> labels(String uid);

  /**
   * Whether the queue may make entries for jobs of the kind by itself. A job that has one is the
   * queue's own matter, and the operator makes none.
   *
   * @return false where it never does
   */
  boolean mayMakeEntries();

  /**
   * The kinds of nodes that an entry was given shares of.
   *
   * @param entry the job's entry as the API server has it
   * @return their names; empty while it was given none
   */
  Set<String> flavors(GenericKubernetesResource entry);

  /**
   * Whether an entry may be changed: one that holds a share is what it was given the share for.
   *
   * @param entry the job's entry as the API server has it
   * @return true when another wish may be written into it
   */
  boolean takesChanges(GenericKubernetesResource entry);

  /**
   * What a queue says of a job.
   *
   * @param entry the job's entry as the API server has it
   * @param facts what the cluster says of queues
   * @return its answer
   */
  QueueAnswer answer(GenericKubernetesResource entry, QueueFacts facts);

  /**
   * How an entry gives back all that it still holds after the queue took it back. To be written
   * once the pods have ended, and not before: the next job begins at once.
   *
   * @param entry the entry as the API server has it
   * @param now the present time
   * @return the fields of its status to write
   */
  Map<String, Object> givenBack(GenericKubernetesResource entry, Instant now);

  /**
   * What an admitted job tells its queue: which share it does not need any more, and that its pods
   * have started. What is said once stays said for as long as the entry is admitted.
   *
   * @param entry the entry as the API server has it, which is admitted
   * @param needed by type, how many pods of the job still need their share
   * @param started whether all pods of the job are ready or done
   * @param now the present time
   * @return the fields of its status to write; null when they are as they should be
   */
  @Nullable Map<String, Object> told(
      GenericKubernetesResource entry, Map<String, Integer> needed, boolean started, Instant now);
}
