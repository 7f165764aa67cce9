package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessesPerNodeTest {

  private static Container with(String resource, int count) {
    return new ContainerBuilder()
        .withNewResources()
        .withLimits(Map.of(resource, new Quantity(Integer.toString(count))))
        .endResources()
        .build();
  }

  private static String resolve(IntOrString procPerNode, Container container) {
    return ProcessesPerNode.resolve(procPerNode, container, AcceleratorResources.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource({"8, 8", "auto, auto", "cpu, cpu", "gpu, 4"})
  void theFieldIsWhatTorchrunGetsAndGpuIsTheNumberOfAccelerators(String field, String value) {
    assertThat(resolve(new IntOrString(field), with("nvidia.com/gpu", 4))).isEqualTo(value);
  }

  @Test
  void aNumberAndItsTextAreTheSame() {
    assertThat(ProcessesPerNode.text(new IntOrString(8))).isEqualTo("8");
    assertThat(ProcessesPerNode.text(new IntOrString("8"))).isEqualTo("8");
    assertThat(ProcessesPerNode.text(null)).isEqualTo("1");
  }

  @Test
  void aContainerWithoutAcceleratorsHasOneProcess() {
    assertThat(resolve(new IntOrString("gpu"), with("cpu", 16))).isEqualTo("1");
  }
}
