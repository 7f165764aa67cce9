package dev.tensorstack.training.kind.trainingjob.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Manifests that say {@code enabled} and {@code enable} in one block. In a change these look like a
 * stored job that an old manifest is merged into, where the older spelling counts; applied again
 * and again, such a manifest would switch the block on and off. So where the object tells that one
 * manifest has both, {@code enabled} wins as at creation.
 */
public final class ConflictingEnableFields {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
  private static final List<List<String>> BLOCKS =
      List.of(
          List.of("torchrunConfig"),
          List.of("elastic"),
          List.of("runMode", "debug"),
          List.of("runMode", "pause"));

  private ConflictingEnableFields() {}

  /**
   * Takes out what does not count.
   *
   * @param job a job as it would be stored
   * @return the same without {@code enable} where the manifest of a client-side or a server-side
   *     apply has {@code enabled} too; the job itself when there is none
   */
  public static JsonNode settled(JsonNode job) {
    JsonNode settled = job;
    for (List<String> block : BLOCKS) {
      if (has(spec(job, block, ""), "") && fromOneManifest(job, block)) {
        if (settled == job) {
          settled = job.deepCopy();
        }
        ((ObjectNode) spec(settled, block, "")).remove("enable");
      }
    }
    return settled;
  }

  private static boolean fromOneManifest(JsonNode job, List<String> block) {
    JsonNode metadata = job.path("metadata");
    JsonNode given = spec(job, block, "");
    JsonNode applied = spec(parsed(metadata.path("annotations").path(LAST_APPLIED)), block, "");
    if (has(applied, "")
        && applied.path("enabled").equals(given.path("enabled"))
        && applied.path("enable").equals(given.path("enable"))) {
      return true;
    }
    for (JsonNode manager : metadata.path("managedFields")) {
      if (manager.path("operation").asText().equals("Apply")
          && has(spec(manager.path("fieldsV1"), block, "f:"), "f:")) {
        return true;
      }
    }
    return false;
  }

  private static JsonNode spec(JsonNode root, List<String> block, String prefix) {
    JsonNode at = root.path(prefix + "spec");
    for (String field : block) {
      at = at.path(prefix + field);
    }
    return at;
  }

  private static boolean has(JsonNode block, String prefix) {
    return block.hasNonNull(prefix + "enabled") && block.hasNonNull(prefix + "enable");
  }

  private static JsonNode parsed(JsonNode text) {
    try {
      return text.isTextual() ? JSON.readTree(text.asText()) : MissingNode.getInstance();
    } catch (JsonProcessingException malformed) {
      return MissingNode.getInstance();
    }
  }
}
