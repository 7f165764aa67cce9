package dev.tensorstack.training.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
