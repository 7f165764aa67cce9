package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainingContainerTest {

  @ParameterizedTest
  @CsvSource({"trainer, 0", "trainer python, 1", "python trainer, 0", "a b python, 2", "'', 0"})
  void itIsTheOneNamedPythonElseTheFirst(String names, int index) {
    List<Container> containers =
        Arrays.stream(names.split(" "))
            .filter(name -> !name.isEmpty())
            .map(name -> new ContainerBuilder().withName(name).build())
            .toList();

    assertThat(TrainingContainer.indexIn(containers)).isEqualTo(index);
  }
}
