package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ToolTest {
  @ParameterizedTest
  @EnumSource(Tool.class)
  void theGoModulePinsTheVersionThatIsDownloaded(Tool tool) throws IOException {
    Path module = ControlPlaneBinaries.modules().resolve(tool.module());

    String name =
        switch (tool) {
          case ETCD -> "go.etcd.io/etcd/server/v3";
          case HELM -> "helm.sh/helm/v3";
          default -> "k8s.io/kubernetes";
        };

    assertThat(Files.readString(module.resolve("go.mod"))).contains(name + " " + tool.version());
  }

  @ParameterizedTest
  @EnumSource(Tool.class)
  void theRecipeIsTheSameAtEveryCall(Tool tool) {
    Path modules = ControlPlaneBinaries.modules();

    assertThat(ControlPlaneBinaries.recipe(tool, modules))
        .hasSize(64)
        .isEqualTo(ControlPlaneBinaries.recipe(tool, modules));
  }
}
