package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KubernetesModuleTest {
  private static final KubernetesVersion VERSION = new KubernetesVersion(30, 14);

  @Test
  void foldersBecomePublishedModulesAndTheRestStays() {
    String released =
        """
        // This is a generated file.

        module k8s.io/kubernetes

        go 1.22.0

        require (
        	github.com/google/cel-go v0.17.8
        	k8s.io/api v0.0.0
        )

        replace (
        	k8s.io/api => ./staging/src/k8s.io/api
        	k8s.io/kube-openapi => k8s.io/kube-openapi v1.2.3
        	k8s.io/cri-api => ./staging/src/k8s.io/cri-api
        )
        """;

    assertThat(KubernetesModule.goMod(released, VERSION))
        .isEqualTo(
            """
            // This is a generated file.

            module controlplane/kubernetes

            go 1.22.0

            require (
            	github.com/google/cel-go v0.17.8
            	k8s.io/api v0.0.0
            )

            replace (
            	k8s.io/api => k8s.io/api v0.30.14
            	k8s.io/kube-openapi => k8s.io/kube-openapi v1.2.3
            	k8s.io/cri-api => k8s.io/cri-api v0.30.14
            )

            require k8s.io/kubernetes v1.30.14
            """);
  }

  @Test
  void anUnknownFormIsRefused() {
    assertThatThrownBy(() -> KubernetesModule.goMod("module k8s.io/kubernetes\n", VERSION))
        .isInstanceOf(ControlPlaneException.class)
        .hasMessageContaining("the go.mod of Kubernetes v1.30.14");
  }
}
