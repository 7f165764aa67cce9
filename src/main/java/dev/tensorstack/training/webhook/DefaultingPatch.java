package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.DiffFlags;
import io.fabric8.zjsonpatch.JsonDiff;
import java.util.EnumSet;

/**
 * The JSON patch that completes a job. It is the difference between the spec as read and the spec
 * with defaults, both written the same way: what reading and writing alter (a quantity's spelling,
 * an empty list) is in both, so the patch touches nothing but what the defaults touch, and fields
 * that this operator does not know stay as they are.
 */
final class DefaultingPatch {

  /** Moves and copies would tie fields together that have nothing to do with each other. */
  private static final EnumSet<DiffFlags> PLAIN_OPERATIONS =
      EnumSet.of(DiffFlags.OMIT_MOVE_OPERATION, DiffFlags.OMIT_COPY_OPERATION);

  private final KubernetesSerialization serialization;

  DefaultingPatch(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /**
   * Makes the patch.
   *
   * @param given the spec as the user gave it
   * @param completed the spec with all defaults, of the same type
   * @return operations of RFC 6902 on the whole object; empty when nothing is missing
   */
  ArrayNode patch(Object given, Object completed) {
    JsonNode before = tree(given);
    ArrayNode operations = JsonNodeFactory.instance.arrayNode();
    for (JsonNode operation : JsonDiff.asJson(before, tree(completed), PLAIN_OPERATIONS)) {
      ObjectNode onSpec = operation.deepCopy();
      onSpec.put("path", "/spec" + operation.path("path").asText());
      operations.add(onSpec);
    }
    return operations;
  }

  private JsonNode tree(Object spec) {
    return serialization.convertValue(spec, JsonNode.class);
  }
}
