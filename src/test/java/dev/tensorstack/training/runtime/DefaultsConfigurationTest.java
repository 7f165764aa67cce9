package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.ClusterDefaults.CleanUp;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefaultsConfigurationTest {

  private record Given(
      Optional<String> cleanUpPolicy,
      Optional<Integer> ttlSecondsAfterFinished,
      Optional<String> queue,
      Optional<String> tensorboardImage,
      Optional<String> scheduler)
      implements OperatorConfiguration.Defaults {}

  private static Given given(
      @Nullable String cleanUp,
      @Nullable Integer ttl,
      @Nullable String queue,
      @Nullable String image,
      @Nullable String scheduler) {
    return new Given(
        Optional.ofNullable(cleanUp),
        Optional.ofNullable(ttl),
        Optional.ofNullable(queue),
        Optional.ofNullable(image),
        Optional.ofNullable(scheduler));
  }

  private static TrainingJobDefaults read(Given given) {
    return DefaultsConfiguration.ofTrainingJobs(DefaultsConfiguration.ofAllKinds(given), given);
  }

  @Test
  void withoutSettingsThereAreNone() {
    assertThat(read(given(null, null, null, null, null))).isEqualTo(TrainingJobDefaults.NONE);
    assertThat(read(given("", null, " ", "", " "))).isEqualTo(TrainingJobDefaults.NONE);
  }

  @Test
  void allOfThemAreRead() {
    TrainingJobDefaults read =
        read(
            given(
                "Unfinished",
                0,
                "research",
                "registry.example/tb:1",
                "{\"volcano\": {\"queue\": \"a\"}}"));
    assertThat(read.all()).isEqualTo(new ClusterDefaults(CleanUp.Unfinished, 0, "research"));
    assertThat(read.tensorboardImage()).isEqualTo("registry.example/tb:1");
    assertThat(Objects.requireNonNull(Objects.requireNonNull(read.scheduler()).volcano()).queue())
        .isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "volcano",
        "{",
        "{}",
        "[]",
        "null",
        "{\"vulcano\": {}}",
        "{\"volcano\": {\"que\": \"a\"}}",
        "{\"volcano\": {}, \"kubernetes\": {}}",
        "{\"volcano\": {}} x",
        "{\"t9kScheduler\": {\"priority\": 500}}"
      })
  void aSchedulerThatNoJobCouldHaveIsRefused(String scheduler) {
    assertThatThrownBy(() -> read(given(null, null, null, null, scheduler)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator.defaults.scheduler is '" + scheduler + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "running|||operator.defaults.clean-up-policy is 'running': write All, Unfinished or None",
        "|-1||operator.defaults.ttl-seconds-after-finished is '-1': write 0 or more",
        "||My Queue|operator.defaults.queue is 'My Queue': write the name of a LocalQueue"
      })
  void aWrongSettingIsNamedWithTheRemedy(
      @Nullable String cleanUp, @Nullable Integer ttl, @Nullable String queue, String message) {
    assertThatThrownBy(() -> read(given(cleanUp, ttl, queue, null, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"not an image", ":1", "https://x y"})
  void anImageThatCannotBeOneIsRefused(String image) {
    assertThatThrownBy(() -> read(given(null, null, null, image, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator.defaults.tensorboard-image is '" + image + "'");
  }
}
