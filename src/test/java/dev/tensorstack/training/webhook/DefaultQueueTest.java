package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.zjsonpatch.JsonPatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultQueueTest {

  private static final String LABEL = "kueue.x-k8s.io/queue-name";

  private static JsonNode job(String metadata) {
    return Reviews.yaml("{metadata: {name: mnist" + metadata + "}, spec: {}}");
  }

  private static JsonNode labels(JsonNode job, JsonNode patch) {
    return JsonPatch.apply(patch, job).path("metadata").path("labels");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|{LABEL: research}",
        "', labels: null'|{LABEL: research}",
        "', labels: {a: b}'|{a: b, LABEL: research}",
        "', labels: {LABEL: own}'|{LABEL: own}",
        "', labels: {LABEL: \"\"}'|{LABEL: \"\"}"
      })
  void aNewJobThatNamesNoneGetsIt(String metadata, String expected) {
    JsonNode job = job(metadata.replace("LABEL", LABEL));
    assertThat(labels(job, DefaultQueue.patch(Reviews.create(job), "research")))
        .isEqualTo(Reviews.yaml(expected.replace("LABEL", LABEL)));
  }

  @Test
  void aChangeGivesNothing() {
    JsonNode bare = job("");
    JsonNode queued = job(", labels: {" + LABEL + ": research}");
    assertThat(DefaultQueue.patch(Reviews.update(queued, bare), "research")).isEmpty();
    assertThat(DefaultQueue.patch(Reviews.update(bare, bare), "research")).isEmpty();
  }

  @Test
  void withoutASettingNothingIsAdded() {
    assertThat(DefaultQueue.patch(Reviews.create(job("")), null)).isEmpty();
  }
}
