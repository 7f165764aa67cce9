package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.VolcanoScheduler;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainingJobDefaultsTest {

  private static final TrainingJobDefaults DEFAULTS =
      new TrainingJobDefaults(
          new ClusterDefaults(ClusterDefaults.CleanUp.All, 600, "research"),
          "registry.example/tensorboard:1",
          volcano("research"));

  private static Scheduler volcano(String queue) {
    return Objects.requireNonNull(spec("scheduler: {volcano: {queue: " + queue + "}}").scheduler());
  }

  private static PyTorchTrainingJobSpec spec(String fields) {
    try {
      return new KubernetesSerialization()
          .convertValue(
              new YAMLMapper().readTree("{" + fields + "}"), PyTorchTrainingJobSpec.class);
    } catch (JsonProcessingException wrong) {
      throw new IllegalArgumentException(fields, wrong);
    }
  }

  private static String describe(@Nullable PyTorchTrainingJobSpec spec) {
    return new KubernetesSerialization().asJson(spec);
  }

  private static void assertApplied(String given, @Nullable String stored, String expected) {
    assertThat(describe(DEFAULTS.applied(spec(given), stored == null ? null : spec(stored))))
        .isEqualTo(describe(spec(expected)));
  }

  @Test
  void aNewJobThatSaysNothingGetsAllOfThem() {
    assertApplied(
        "tensorboardSpec: {logDir: {s3: {}}}",
        null,
        "runPolicy: {cleanUpPolicy: All, ttlSecondsAfterFinished: 600},"
            + " scheduler: {volcano: {queue: research}},"
            + " tensorboardSpec: {image: 'registry.example/tensorboard:1', logDir: {s3: {}}}");
  }

  @Test
  void whatTheUserSaysStays() {
    String own =
        "runPolicy: {cleanUpPolicy: None, ttlSecondsAfterFinished: 0, backoffLimit: 7},"
            + " scheduler: {t9kScheduler: {queue: a}}, tensorboardSpec: {image: mine}";
    assertApplied(own, null, own);
  }

  @ParameterizedTest
  @CsvSource({"volcano", "default-scheduler", "my-scheduler"})
  void aTemplateThatNamesAScheduler_ItsJobGetsNone(String name) {
    PyTorchTrainingJobSpec given =
        spec(
            "replicaSpecs: [{type: a}, {type: b, template: {spec: {schedulerName: "
                + name
                + "}}}]");
    assertThat(DEFAULTS.applied(given, null).scheduler()).isNull();
  }

  @Test
  void aJobThatExistsKeepsWhatItWasGivenAndGetsNoMore() {
    assertApplied(
        "tensorboardSpec: {}",
        "runPolicy: {cleanUpPolicy: All}, scheduler: {volcano: {queue: research}}, tensorboardSpec: {}",
        "runPolicy: {cleanUpPolicy: All}, scheduler: {volcano: {queue: research}}, tensorboardSpec: {}");
    // The settings were others then.
    assertApplied(
        "runPolicy: {}",
        "runPolicy: {cleanUpPolicy: None, ttlSecondsAfterFinished: 5}",
        "runPolicy: {}");
  }

  @Test
  void aTensorboardThatAJobGetsLaterHasTheImage() {
    assertApplied(
        "tensorboardSpec: {image: ' '}",
        "runPolicy: {}",
        "tensorboardSpec: {image: 'registry.example/tensorboard:1'}");
  }

  @Test
  void withoutDefaultsASpecStaysTheSame() {
    PyTorchTrainingJobSpec given = spec("runPolicy: {}, tensorboardSpec: {}");
    assertThat(TrainingJobDefaults.NONE.applied(given, null)).isSameAs(given);
  }

  @Test
  void aSecondRunChangesNothing() {
    PyTorchTrainingJobSpec once = DEFAULTS.applied(spec("tensorboardSpec: {}"), null);
    assertThat(DEFAULTS.applied(once, null)).isEqualTo(once);
    assertThat(DEFAULTS.applied(once, once)).isEqualTo(once);
  }

  @Test
  void theSchedulerIsComparedByItsFields() {
    assertThat(volcano("a")).isEqualTo(volcano("a")).isNotEqualTo(volcano("b"));
    assertThat(volcano("a").volcano()).isInstanceOf(VolcanoScheduler.class);
  }
}
