package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import org.junit.jupiter.api.Test;

class CrdKeepsLedgerTest {

  private static final ObjectKind KIND =
      new ObjectKind("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs");

  private static String document(String kind, String status) {
    return """
    {"components": {"schemas": {
      "x.List": {"x-kubernetes-group-version-kind": [{"kind": "PyTorchJobList"}]},
      "x": {"x-kubernetes-group-version-kind": [{"group": "kubeflow.org", "kind": "%s"}],
            "properties": {"status": %s}}}}}
    """
        .formatted(kind, status);
  }

  @Test
  void aCrdWithoutTheLedgerIsAnObstacle() {
    assertThat(
            CrdKeepsLedger.obstacle(
                document("PyTorchJob", "{\"properties\": {\"conditions\": {}}}"), KIND))
        .contains("status.ledger")
        .contains("Install");
  }

  @Test
  void aCrdThatKeepsTheLedgerIsNone() {
    assertThat(
            CrdKeepsLedger.obstacle(
                document("PyTorchJob", "{\"properties\": {\"ledger\": {}}}"), KIND))
        .isNull();
    assertThat(
            CrdKeepsLedger.obstacle(
                document("PyTorchJob", "{\"x-kubernetes-preserve-unknown-fields\": true}"), KIND))
        .isNull();
    assertThat(
            CrdKeepsLedger.obstacle(
                """
                {"components": {"schemas": {"x": {
                  "x-kubernetes-group-version-kind": [{"kind": "PyTorchJob"}],
                  "x-kubernetes-preserve-unknown-fields": true}}}}
                """,
                KIND))
        .as("no schema at all")
        .isNull();
  }

  @Test
  void aKindOfWhichNothingIsPublishedYetIsNone() {
    assertThat(CrdKeepsLedger.obstacle(document("TFJob", "{}"), KIND)).isNull();
    assertThat(CrdKeepsLedger.obstacle("{}", KIND)).isNull();
  }
}
