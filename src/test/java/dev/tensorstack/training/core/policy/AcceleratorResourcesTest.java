package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceleratorResourcesTest {

  @Test
  void allKindsInTheLimitsAreAddedUp() {
    Container container =
        new ContainerBuilder()
            .withNewResources()
            .withLimits(
                Map.of(
                    "nvidia.com/gpu", new Quantity("2"),
                    "nvidia.com/mig-1g.5gb", new Quantity("3"),
                    "huawei.com/Ascend910", new Quantity("1"),
                    "rdma/rdma_shared_device_a", new Quantity("1"),
                    "cpu", new Quantity("8")))
            .withRequests(Map.of("amd.com/gpu", new Quantity("5")))
            .endResources()
            .build();

    assertThat(AcceleratorResources.DEFAULT.count(container)).isEqualTo(6);
    assertThat(AcceleratorResources.DEFAULT.count(new Container())).isZero();
  }

  @ParameterizedTest
  @CsvSource({"many, 0", "'', 0", "-3, 0", "1500m, 1", "2k, 2000", "99999999999, 2147483647"})
  void aQuantityThatIsNoNumberOfDevicesBreaksNothing(String quantity, int count) {
    Container container = new Container();
    container.setResources(new ResourceRequirements());
    container.getResources().setLimits(new LinkedHashMap<>());
    Quantity odd = new Quantity();
    odd.setAmount(quantity.replaceAll("[mk]$", ""));
    odd.setFormat(quantity.matches("[0-9]+[mk]") ? quantity.replaceAll("[0-9]", "") : "");
    container.getResources().getLimits().put("nvidia.com/gpu", odd);
    container.getResources().getLimits().put("amd.com/gpu", null);

    assertThat(AcceleratorResources.DEFAULT.count(container)).isEqualTo(count);
  }
}
