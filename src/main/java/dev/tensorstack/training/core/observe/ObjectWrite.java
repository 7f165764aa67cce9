package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.naming.ObjectKind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is done to an object of a job. Of equal writes the API server says the same.
 *
 * @param verb what is done
 * @param kind the kind of object as people write it, for example {@code pod} or {@code
 *     Deployment.apps}
 * @param name the object's name
 */
public record ObjectWrite(Verb verb, String kind, String name) {

  /** What is done. */
  public enum Verb {
    /** The object is created or changed. */
    MAKE,
    /** The object is deleted. */
    DELETE
  }

  private static final String POD = "pod";

  /**
   * The creation of a pod.
   *
   * @param name the pod's name
   * @return the write
   */
  public static ObjectWrite pod(String name) {
    return new ObjectWrite(Verb.MAKE, POD, name);
  }

  /**
   * The deletion of a pod.
   *
   * @param name the pod's name
   * @return the write
   */
  public static ObjectWrite podDeletion(String name) {
    return new ObjectWrite(Verb.DELETE, POD, name);
  }

  /**
   * The deletion of the job itself.
   *
   * @param name the job's name
   * @return the write
   */
  public static ObjectWrite jobDeletion(String name) {
    return new ObjectWrite(Verb.DELETE, "job", name);
  }

  /**
   * The creation or change of an object that is no pod.
   *
   * @param kind its kind
   * @param name its name
   * @return the write
   */
  public static ObjectWrite of(ObjectKind kind, String name) {
    return new ObjectWrite(Verb.MAKE, kind.toString(), name);
  }

  /**
   * The deletion of an object that is no pod.
   *
   * @param kind its kind
   * @param name its name
   * @return the write
   */
  public static ObjectWrite deletion(ObjectKind kind, String name) {
    return new ObjectWrite(Verb.DELETE, kind.toString(), name);
  }

  /**
   * The writes that wait with this one after its refusal: what keeps one pod from being created, or
   * deleted, most likely keeps the next; of other objects each is a case of its own.
   *
   * @return the same for all writes that wait with each other
   */
  public ObjectWrite company() {
    return kind.equals(POD) ? new ObjectWrite(verb, POD, "") : this;
  }

  /**
   * The object for people.
   *
   * @return for example {@code pod mnist-12e8d-worker-0}
   */
  public String object() {
    return kind + " " + name;
  }

  /**
   * The write for people.
   *
   * @return for example {@code pod mnist-12e8d-worker-0}, or {@code deletion of pod
   *     mnist-12e8d-worker-0}
   */
  @Override
  public String toString() {
    return verb == Verb.DELETE ? "deletion of " + object() : object();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ObjectWrite that
            && verb == that.verb
            && Objects.equals(kind, that.kind)
            && Objects.equals(name, that.name));
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Objects.hashCode(verb) + Objects.hashCode(kind)) + Objects.hashCode(name);
  }
}
