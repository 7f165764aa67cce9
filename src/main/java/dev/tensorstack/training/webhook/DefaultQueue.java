package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tensorstack.training.core.queue.KueueQueue;
import org.jspecify.annotations.Nullable;

/**
 * The LocalQueue that an administrator gives new jobs that name none (docs/operations/defaults.md).
 * A label without a value is a user's word for none, and so is a label that is removed later.
 */
final class DefaultQueue {

  private static final String LABELS = "/metadata/labels";

  private DefaultQueue() {}

  /**
   * Adds the label where it is missing.
   *
   * @param call the question about a job
   * @param queue the administrator's queue; null for none
   * @return operations of RFC 6902 on the whole object; empty when nothing is missing
   */
  static ArrayNode patch(AdmissionCall call, @Nullable String queue) {
    ArrayNode operations = JsonNodeFactory.instance.arrayNode();
    if (queue == null || call.old() != null || call.labels().containsKey(KueueQueue.QUEUE_LABEL)) {
      return operations;
    }
    if (!call.object().path("metadata").path("labels").isObject()) {
      operations
          .addObject()
          .put("op", "add")
          .put("path", LABELS)
          .set("value", JsonNodeFactory.instance.objectNode());
    }
    operations
        .addObject()
        .put("op", "add")
        .put("path", LABELS + "/" + KueueQueue.QUEUE_LABEL.replace("/", "~1"))
        .put("value", queue);
    return operations;
  }
}
