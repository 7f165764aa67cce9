package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitTemplateTest {

  /** The template of Kubeflow's operator 1.9. */
  private static final String KUBEFLOWS =
      """
      - name: init-pytorch
        image: {{.InitContainerImage}}
        imagePullPolicy: IfNotPresent
        resources:
          limits:
            cpu: 100m
            memory: 20Mi
          requests:
            cpu: 50m
            memory: 10Mi
        command: ['sh', '-c', 'err=1;for i in $(seq {{.MaxTries}}); do if nslookup {{.MasterAddr}}; then err=0 && break; fi;echo waiting for master; sleep 2; done; exit $err']
      """;

  @Test
  void theTemplateOfKubeflowsOperatorIsFilledIn() {
    assertThat(new WaitTemplate(KUBEFLOWS, "alpine:3.10", 100).containers("mnist-master-0"))
        .singleElement()
        .satisfies(
            container -> {
              assertThat(container.getName()).isEqualTo("init-pytorch");
              assertThat(container.getImage()).isEqualTo("alpine:3.10");
              assertThat(container.getResources().getLimits())
                  .containsEntry("memory", new Quantity("20Mi"));
              assertThat(container.getCommand().get(2))
                  .contains("$(seq 100)", "nslookup mnist-master-0;", "exit $err");
            });
  }

  @Test
  void placeholdersMayHaveSpacesAndStandMoreThanOnce() {
    WaitTemplate template =
        new WaitTemplate(
            """
            - {name: a, image: "{{ .InitContainerImage }}", args: ["{{.MasterAddr}}", "{{  .MasterAddr}}"]}
            - {name: b, image: other, args: ["{{ .MaxTries }}"]}
            """,
            "i",
            3);

    assertThat(template.containers("m")).extracting(Container::getName).containsExactly("a", "b");
    assertThat(template.containers("m").get(0).getImage()).isEqualTo("i");
    assertThat(template.containers("m").get(0).getArgs()).containsExactly("m", "m");
    assertThat(template.containers("m").get(1).getArgs()).containsExactly("3");
  }

  @Test
  void everyPodGetsContainersOfItsOwn() {
    WaitTemplate template = new WaitTemplate("- {name: a, image: i, args: [x]}", "i", 1);
    template.containers("m").get(0).setName("changed");

    assertThat(template.containers("m").get(0).getName()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kind: Pod",
        "text",
        "- [a, b]",
        "- {name: a}",
        "- {image: i}",
        "- null",
        "- {name: a, image: i, args: {}}",
        "- {name: [",
      })
  void whatIsNoListOfContainersIsRefusedAtOnce(String yaml) {
    assertThatThrownBy(() -> new WaitTemplate(yaml, "i", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the template of init containers");
  }
}
