package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
          case PROMETHEUS, PROMTOOL -> "github.com/prometheus/prometheus";
          case KUEUE -> "sigs.k8s.io/kueue";
          case VOLCANO_SCHEDULER, VOLCANO_CONTROLLERS -> "volcano.sh/volcano";
          case COSCHEDULING_SCHEDULER, COSCHEDULING_CONTROLLER -> "sigs.k8s.io/scheduler-plugins";
          default -> "k8s.io/kubernetes";
        };

    assertThat(Files.readString(module.resolve("go.mod")))
        .contains(name + " " + moduleVersion(tool));
  }

  /** Prometheus 3.13.5 is 0.313.5 as a module, so that its API may change. */
  private static String moduleVersion(Tool tool) {
    if (!tool.version(KubernetesVersion.DEFAULT).equals(Tool.PROMETHEUS_VERSION)) {
      return tool.version(KubernetesVersion.DEFAULT);
    }
    String[] parts = tool.version(KubernetesVersion.DEFAULT).substring(1).split("\\.", -1);
    return String.format(
        Locale.ROOT,
        "v0.%d%02d.%s",
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        parts[2]);
  }

  @ParameterizedTest
  @EnumSource(Tool.class)
  void theRecipeIsTheSameAtEveryCall(Tool tool) {
    Path modules = ControlPlaneBinaries.modules();

    assertThat(ControlPlaneBinaries.recipe(tool, KubernetesVersion.DEFAULT, modules))
        .hasSize(64)
        .isEqualTo(ControlPlaneBinaries.recipe(tool, KubernetesVersion.DEFAULT, modules));
  }

  @ParameterizedTest
  @EnumSource(Tool.class)
  void onlyProgramsOfKubernetesAreMadeAgainForAnotherVersion(Tool tool) {
    Path modules = ControlPlaneBinaries.modules();
    KubernetesVersion old = new KubernetesVersion(30, 14);

    boolean other =
        !ControlPlaneBinaries.recipe(tool, KubernetesVersion.DEFAULT, modules)
            .equals(ControlPlaneBinaries.recipe(tool, old, modules));

    assertThat(other).isEqualTo(tool.goPackage().startsWith("k8s.io/kubernetes/"));
    assertThat(tool.linkerFlags(old).contains("gitVersion=v1.30.14")).isEqualTo(other);
  }
}
