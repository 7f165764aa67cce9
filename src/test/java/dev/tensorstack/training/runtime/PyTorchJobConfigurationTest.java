package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kind.pytorchjob.NameLookup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PyTorchJobConfigurationTest {

  private static final String IMAGE = "registry.example/busybox:1";

  private record Given(String gangScheduler, InitContainer initContainer)
      implements OperatorConfiguration.PyTorchJobs {

    @Override
    public boolean trainingOperatorCheck() {
      return true;
    }
  }

  private record GivenInitContainer(
      boolean enabled, String image, int maxTries, Optional<Path> templateFile)
      implements OperatorConfiguration.PyTorchJobs.InitContainer {}

  private static OperatorConfiguration.PyTorchJobs given(
      boolean enabled, int tries, @Nullable Path template) {
    return new Given(
        "none", new GivenInitContainer(enabled, IMAGE, tries, Optional.ofNullable(template)));
  }

  @ParameterizedTest
  @CsvSource({
    "none,",
    "'',",
    "'  ',",
    "volcano, volcano",
    "' volcano ', volcano",
    "scheduler-plugins-scheduler, scheduler-plugins-scheduler",
  })
  void theGangSchedulerIsThatOfTheSetting(String setting, @Nullable String name) {
    assertThat(
            PyTorchJobConfiguration.of(
                    new Given(setting, new GivenInitContainer(false, IMAGE, 1, Optional.empty())))
                .gangScheduler())
        .isEqualTo(name);
  }

  @Test
  void workersWaitWithTheOperatorsOwnInitContainer() {
    assertThat(PyTorchJobConfiguration.of(given(true, 7, null)).masterWait())
        .isEqualTo(new NameLookup(IMAGE, 7));
  }

  @Test
  void workersDoNotWaitWhereItIsSwitchedOff() {
    assertThat(PyTorchJobConfiguration.of(given(false, 0, Path.of("missing"))).masterWait())
        .as("what does not count is not checked")
        .isNull();
  }

  @Test
  void aTemplateTakesThePlaceOfTheOperatorsOwn(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("init.yaml");
    Files.writeString(file, "- {name: wait, image: '{{.InitContainerImage}}'}\n");

    assertThat(PyTorchJobConfiguration.of(given(true, 7, file)).masterWait())
        .isEqualTo(new WaitTemplate(Files.readString(file), IMAGE, 7));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void noTryIsRefusedWithARemedy(int tries) {
    assertThatThrownBy(() -> PyTorchJobConfiguration.of(given(true, tries, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "operator.pytorchjob.init-container.max-tries is " + tries,
            "operator.pytorchjob.init-container.enabled");
  }

  @ParameterizedTest
  @ValueSource(strings = {"kind: Pod", "- {image: i}", "- {name: n}", "- {{{", "- null"})
  void aTemplateThatCannotBeUsedIsRefusedWithItsFile(String text, @TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("init.yaml");
    Files.writeString(file, text);

    assertThatThrownBy(() -> PyTorchJobConfiguration.of(given(true, 7, file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "operator.pytorchjob.init-container.template-file", file.toString());
  }

  @Test
  void aFileThatIsMissingIsRefusedWithItsName(@TempDir Path directory) {
    Path file = directory.resolve("missing.yaml");

    assertThatThrownBy(() -> PyTorchJobConfiguration.of(given(true, 7, file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(file.toString());
  }
}
