package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what an administrator gives new jobs. */
final class DefaultsConfiguration {

  private static final String PREFIX = "operator.defaults.";
  private static final String SCHEDULER = "spec.scheduler";
  private static final Pattern LOCAL_QUEUE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]*");
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private DefaultsConfiguration() {}

  /**
   * Reads the defaults of all kinds.
   *
   * @param given properties and environment variables
   * @return the defaults
   * @throws IllegalArgumentException when one is wrong
   */
  static ClusterDefaults ofAllKinds(OperatorConfiguration.Defaults given) {
    return new ClusterDefaults(
        given
            .cleanUpPolicy()
            .filter(word -> !word.isBlank())
            .map(DefaultsConfiguration::cleanUp)
            .orElse(null),
        given.ttlSecondsAfterFinished().map(DefaultsConfiguration::seconds).orElse(null),
        given
            .queue()
            .filter(name -> !name.isBlank())
            .map(DefaultsConfiguration::queue)
            .orElse(null));
  }

  /**
   * Reads the defaults of the kind {@code PyTorchTrainingJob}.
   *
   * @param all the defaults of all kinds
   * @param given properties and environment variables
   * @return the defaults
   * @throws IllegalArgumentException when one is wrong
   */
  static TrainingJobDefaults ofTrainingJobs(
      ClusterDefaults all, OperatorConfiguration.Defaults given) {
    return new TrainingJobDefaults(
        all,
        given
            .tensorboardImage()
            .filter(text -> !text.isBlank())
            .map(DefaultsConfiguration::image)
            .orElse(null),
        scheduler(given.scheduler()));
  }

  private static ClusterDefaults.CleanUp cleanUp(String word) {
    return Arrays.stream(ClusterDefaults.CleanUp.values())
        .filter(value -> value.name().equals(word))
        .findFirst()
        .orElseThrow(() -> wrong("clean-up-policy", word, "write All, Unfinished or None"));
  }

  private static String image(String name) {
    if (!IMAGE.matcher(name).matches()) {
      throw wrong("tensorboard-image", name, "write an image, such as registry/tensorboard:2.17.0");
    }
    return name;
  }

  private static int seconds(int number) {
    if (number < 0) {
      throw wrong("ttl-seconds-after-finished", "" + number, "write 0 or more, or leave it out");
    }
    return number;
  }

  private static String queue(String name) {
    if (!LOCAL_QUEUE.matcher(name).matches()) {
      throw wrong("queue", name, "write the name of a LocalQueue, which is a DNS label");
    }
    return name;
  }

  private static @Nullable Scheduler scheduler(Optional<String> setting) {
    String text = setting.map(String::strip).orElse("");
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
          "scheduler",
          text,
          "write spec.scheduler of a job as JSON: " + noScheduler.getOriginalMessage());
    }
    // What the type does not have is dropped when it is read.
    if (scheduler == null || !JSON.valueToTree(scheduler).equals(given) || given.size() != 1) {
      throw wrong(
          "scheduler",
          text,
          "write spec.scheduler of a job as JSON, with one of t9kScheduler, volcano, coscheduling"
              + " and kubernetes, and with no fields but theirs");
    }
    for (Violation violation : Rules.check(new RuleContext<>(null, specWith(scheduler), null))) {
      if (violation.field().startsWith(SCHEDULER)) {
        throw wrong("scheduler", text, "no job could have it: " + violation.describe());
      }
    }
    return scheduler;
  }

  private static PyTorchTrainingJobSpec specWith(Scheduler scheduler) {
    return new PyTorchTrainingJobSpec(null, null, null, null, null, scheduler, null, null);
  }

  private static IllegalArgumentException wrong(String name, String value, String remedy) {
    return new IllegalArgumentException(PREFIX + name + " is '" + value + "': " + remedy);
  }
}
