package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.ClusterDefaults.CleanUp;
import java.util.List;
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

  private static ClusterDefaults read(Given given) {
    return DefaultsConfiguration.ofAllKinds(given);
  }

  @Test
  void withoutSettingsThereAreNone() {
    for (Given none : List.of(given(null, null, null, null, null), given("", null, " ", "", " "))) {
      assertThat(read(none)).isEqualTo(ClusterDefaults.NONE);
      assertThat(DefaultsConfiguration.tensorboardImage(none)).isNull();
    }
  }

  @Test
  void allOfThemAreRead() {
    Given all = given("Unfinished", 0, "research", "registry.example/tb:1", null);
    assertThat(read(all)).isEqualTo(new ClusterDefaults(CleanUp.Unfinished, 0, "research"));
    assertThat(DefaultsConfiguration.tensorboardImage(all)).isEqualTo("registry.example/tb:1");
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
    assertThatThrownBy(
            () -> DefaultsConfiguration.tensorboardImage(given(null, null, null, image, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator.defaults.tensorboard-image is '" + image + "'");
  }
}
