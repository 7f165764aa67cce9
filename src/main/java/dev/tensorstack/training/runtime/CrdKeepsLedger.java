package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.jspecify.annotations.Nullable;

/**
 * The CRD has the field in which the operator remembers what it has counted. The API server drops
 * fields that a CRD does not have, without a word, and Kubeflow's CRD of {@code PyTorchJob} does
 * not have it.
 */
final class CrdKeepsLedger implements StartCondition {

  private static final String LEDGER = "ledger";

  private final KubernetesClient client;
  private final ObjectKind kind;

  private final LastAnswer last = new LastAnswer("the API server has not yet shown its CRD");

  /** Where the schema was that was looked into last; it has another address when it changes. */
  private @Nullable String address;

  private @Nullable String obstacle;

  /**
   * A look at a CRD.
   *
   * @param client talks to the API server
   * @param kind the kind of the jobs
   */
  CrdKeepsLedger(KubernetesClient client, ObjectKind kind) {
    this.client = client;
    this.kind = kind;
  }

  @Override
  public boolean lasts() {
    return true;
  }

  @Override
  public @Nullable String obstacle() {
    return last.of(this::look);
  }

  private @Nullable String look() {
    String now = address();
    if (now == null) {
      return null;
    }
    if (!now.equals(address)) {
      String document = client.raw(now);
      obstacle = document == null ? null : obstacle(document, kind);
      // Another API server may have answered with the schema of before.
      address = now.equals(address()) && obstacle == null ? now : null;
    }
    return obstacle;
  }

  /** Null while the API server publishes no schema of the group. */
  private @Nullable String address() {
    String index = client.raw("/openapi/v3");
    return index == null
        ? null
        : Serialization.unmarshal(index, JsonNode.class)
            .path("paths")
            .path("apis/" + kind.apiVersion())
            .path("serverRelativeURL")
            .asText(null);
  }

  /**
   * Looks into a schema.
   *
   * @param document the API server's OpenAPI v3 document of the kind's group and version, in JSON
   * @param kind the kind of the jobs
   * @return what is not so, with the remedy; null when the field is there, or the kind is not in
   *     the document
   */
  static @Nullable String obstacle(String document, ObjectKind kind) {
    for (JsonNode schema :
        Serialization.unmarshal(document, JsonNode.class).path("components").path("schemas")) {
      if (isOf(schema, kind)) {
        JsonNode status = schema.path("properties").path("status");
        boolean keepsAll =
            status.path("x-kubernetes-preserve-unknown-fields").asBoolean()
                || !status.has("properties");
        return keepsAll || status.path("properties").has(LEDGER)
            ? null
            : "its CRD is another program's, or an earlier version's: it drops the field"
                + " status.ledger, in which restarts are counted. Install this operator's CRD "
                + kind.plural()
                + "."
                + kind.group();
      }
    }
    return null;
  }

  private static boolean isOf(JsonNode schema, ObjectKind kind) {
    for (JsonNode named : schema.path("x-kubernetes-group-version-kind")) {
      if (named.path("kind").asText().equals(kind.kind())) {
        return true;
      }
    }
    return false;
  }
}
