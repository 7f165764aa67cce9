package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One question of the API server: may this object be stored?
 *
 * @param uid the question's own id, which the answer repeats
 * @param operation what is done
 * @param subresource for example {@code scale}; empty for the object itself
 * @param namespace the object's namespace
 * @param name the object's name; null while the API server has not yet made one from generateName
 * @param object the object as it would be stored; a missing node for a deletion
 * @param old the object as it is stored; null at creation
 * @param excesses what in the object's spec is beyond what the operator reads; it is cut off there
 * @param oldIsWhole whether the stored object's spec is within those limits
 */
record AdmissionCall(
    String uid,
    Operation operation,
    String subresource,
    String namespace,
    @Nullable String name,
    JsonNode object,
    @Nullable JsonNode old,
    List<Violation> excesses,
    boolean oldIsWhole) {

  /** A question about objects that can be read. */
  AdmissionCall(
      String uid,
      Operation operation,
      String subresource,
      String namespace,
      @Nullable String name,
      JsonNode object,
      @Nullable JsonNode old) {
    this(uid, operation, subresource, namespace, name, object, old, List.of(), true);
  }

  /** What is done to an object. */
  enum Operation {
    CREATE,
    UPDATE,
    DELETE,
    CONNECT
  }

  /** Whether the question is about the number of replicas only. */
  boolean isScale() {
    return subresource.equals("scale");
  }

  /** The labels of the object. */
  Map<String, String> labels() {
    return marks("labels");
  }

  /** The annotations of the object. */
  Map<String, String> annotations() {
    return marks("annotations");
  }

  private Map<String, String> marks(String field) {
    Map<String, String> marks = new LinkedHashMap<>();
    object
        .path("metadata")
        .path(field)
        .fields()
        .forEachRemaining(mark -> marks.put(mark.getKey(), mark.getValue().asText()));
    return marks;
  }

  /**
   * Whether the rules have nothing to say: the object goes away, is on its way out (a finalizer may
   * always be removed), or its spec stays as it is. At creation a time of deletion is only what
   * somebody has written; the API server drops it.
   */
  boolean leavesTheSpec() {
    if (object.isMissingNode()) {
      return true;
    }
    return old != null
        && (object.path("metadata").hasNonNull("deletionTimestamp")
            || object.path("spec").equals(old.path("spec")));
  }
}
