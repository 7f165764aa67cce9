package dev.tensorstack.training.kind.trainingjob.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler that an administrator gives new jobs, as a setting (docs/operations/defaults.md).
 */
public final class SchedulerSetting {

  private static final String NAME = "operator.defaults.scheduler";
  private static final String FIELD = "spec.scheduler";
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private SchedulerSetting() {}

  /**
   * Reads it.
   *
   * @param setting {@code spec.scheduler} of a job as JSON; blank for none
   * @return the scheduler; null for none
   * @throws IllegalArgumentException when no job could have it; the message names the setting and
   *     the remedy
   */
  public static @Nullable Scheduler of(String setting) {
    String text = setting.strip();
    if (text.isEmpty()) {
      return null;
    }
    Scheduler scheduler;
    JsonNode given;
    try {
      given = JSON.readTree(text);
      scheduler = JSON.treeToValue(given, Scheduler.class);
    } catch (JsonProcessingException noScheduler) {
      throw wrong(
          text, "write spec.scheduler of a job as JSON: " + noScheduler.getOriginalMessage());
    }
    // What the type does not have is dropped when it is read.
    if (scheduler == null || !JSON.valueToTree(scheduler).equals(given) || given.size() != 1) {
      throw wrong(
          text,
          "write spec.scheduler of a job as JSON, with one of t9kScheduler, volcano, coscheduling"
              + " and kubernetes, and with no fields but theirs");
    }
    PyTorchTrainingJobSpec spec =
        new PyTorchTrainingJobSpec(null, null, null, null, null, scheduler, null, null);
    for (Violation violation : Rules.check(new RuleContext<>(null, spec, null))) {
      if (violation.field().startsWith(FIELD)) {
        throw wrong(text, "no job could have it: " + violation.describe());
      }
    }
    return scheduler;
  }

  private static IllegalArgumentException wrong(String value, String remedy) {
    return new IllegalArgumentException(NAME + " is '" + value + "': " + remedy);
  }
}
