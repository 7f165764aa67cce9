package dev.tensorstack.training.kind;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kind of job as the admission webhooks see it: its defaults, rules and warnings. Each method is
 * a pure function.
 *
 * @param <R> the Java type of the object
 * @param <S> the Java type of its spec; never changed
 */
public interface JobAdmission<R extends CustomResource<?, ?>, S> {

  /**
   * What the API server calls it.
   *
   * @return group, version, kind and plural
   */
  ObjectKind kind();

  /**
   * The Java type of the object.
   *
   * @return a class that can be read from JSON
   */
  Class<R> type();

  /**
   * The names of all rules that {@link #violations} applies.
   *
   * @return words such as {@code job-name}, as users see them
   */
  List<String> rules();

  /**
   * Why an object cannot be read.
   *
   * @param resource any object
   * @return {@code field: problem}; null when it was read
   */
  @Nullable String unreadable(R resource);

  /**
   * The spec of an object.
   *
   * @param resource any object
   * @return the spec as it was given; an empty one when there is none
   */
  S spec(R resource);

  /**
   * Takes out of an object that is to be stored what contradicts itself and does not count.
   *
   * @param job the object as it would be stored; not changed
   * @return the same, or a copy without it
   */
  JsonNode settled(JsonNode job);

  /**
   * Whether jobs are stored with their defaults.
   *
   * @return false when they are stored as their users write them, and completed each time they are
   *     read
   */
  boolean storesDefaults();

  /**
   * Whether this operator works on a job. Another one's gets neither defaults nor warnings, which
   * say what this operator does; the rules are those of all jobs.
   *
   * @param spec the spec with all defaults
   * @return false when the job names somebody else
   */
  default boolean isManagedHere(S spec) {
    return true;
  }

  /**
   * Gives a spec what an administrator has set for jobs whose users say nothing. It is stored, with
   * every kind.
   *
   * @param given as the user gave it
   * @param stored as it is stored when this is a change; null at creation
   * @return the spec with these defaults, the same where there are none
   */
  S withClusterDefaults(S given, @Nullable S stored);

  /**
   * The queue that an administrator has set for jobs that name none.
   *
   * @return the name of a LocalQueue; null for none
   */
  @Nullable String defaultQueue();

  /**
   * Completes a spec.
   *
   * @param given as the user gave it
   * @param stored as it is stored when this is a change; null at creation, and for a spec that is
   *     not compared with another
   * @return the spec with all defaults
   */
  S complete(S given, @Nullable S stored);

  /**
   * The spec that a change through the subresource {@code scale} makes.
   *
   * @param spec a spec with all defaults
   * @param replicas the number of pods
   * @return the spec with that number
   */
  S scaled(S spec, int replicas);

  /**
   * Whether two specs say the same.
   *
   * @param spec a spec
   * @param other another, or null
   * @return true when nothing of what they say differs
   */
  boolean same(S spec, @Nullable S other);

  /**
   * Whether pods are made of the same templates: then a change does not try them again.
   *
   * @param spec a spec with all defaults
   * @param stored the one before
   * @return true where templates cannot change
   */
  boolean samePods(S spec, S stored);

  /**
   * Applies all rules.
   *
   * @param name the job's name; null while the API server has not yet made one from generateName
   * @param spec the spec with all defaults
   * @param old the stored spec with all defaults when this is a change, null at creation
   * @return what is wrong; empty when the job can work
   */
  List<Violation> violations(@Nullable String name, S spec, @Nullable S old);

  /**
   * What to tell the user.
   *
   * @param given the spec as the user gave it
   * @param labels the job's labels
   * @param annotations the job's annotations
   * @param name as above
   * @param spec as above
   * @param old as above
   * @return texts of the form {@code field: what, and what to do}; empty when there is nothing to
   *     say
   */
  List<String> warnings(
      S given,
      Map<String, String> labels,
      Map<String, String> annotations,
      @Nullable String name,
      S spec,
      @Nullable S old);

  /**
   * A job of which nothing is stored yet.
   *
   * @param namespace its namespace
   * @param name its name
   * @param uid its uid
   * @param labels its labels
   * @param spec its spec with all defaults
   * @return the job as the engine would see it
   */
  TrainingJob job(String namespace, String name, String uid, Map<String, String> labels, S spec);

  /**
   * The templates of a job's pods.
   *
   * @param spec a spec without violations
   * @return one for each type of replica, in their order
   */
  List<TypeTemplate> templates(S spec);

  /**
   * The template of one type's pods.
   *
   * @param type the type's name
   * @param template the template
   * @param path its field in the object, such as {@code spec.replicaSpecs[1].template}
   */
  record TypeTemplate(String type, PodTemplateSpec template, String path) {}
}
