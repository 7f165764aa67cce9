package dev.tensorstack.training.gitops;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What kstatus and Flux have said of each job of {@link JobStates}, made by the program in {@code
 * src/tools/go/kstatus}. Where Go is installed, this writes it anew:
 *
 * <pre>{@code
 * ./mvnw verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=KstatusIT -Dupdate
 * }</pre>
 *
 * @param object the job
 * @param kstatus what kstatus says of it
 * @param untilItRuns what Flux says with the expressions of {@code flux-running.yaml}
 * @param untilItHasSucceeded what Flux says with those of {@code flux-succeeded.yaml}
 */
record KstatusRecord(
    JsonNode object, Verdict kstatus, Verdict untilItRuns, Verdict untilItHasSucceeded) {

  /** Where it is, in the test resources. */
  static final String FILE = "gitops/kstatus.json";

  /**
   * What is said of an object.
   *
   * @param status a status of kstatus
   * @param message more of it; may be empty
   */
  record Verdict(String status, String message) {}

  /**
   * All that was recorded.
   *
   * @return the records by kind and state
   */
  static Map<String, KstatusRecord> all() {
    try (InputStream json =
        Objects.requireNonNull(KstatusRecord.class.getResourceAsStream("/" + FILE), FILE)) {
      JsonNode read = new ObjectMapper().readTree(json);
      Map<String, KstatusRecord> records = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> state : read.properties()) {
        records.put(
            state.getKey(), new ObjectMapper().treeToValue(state.getValue(), KstatusRecord.class));
      }
      return records;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
