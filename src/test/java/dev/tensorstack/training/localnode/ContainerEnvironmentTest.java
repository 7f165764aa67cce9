package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContainerEnvironmentTest {
  private final Pod pod =
      new PodBuilder()
          .withNewMetadata()
          .withName("p")
          .withNamespace("ns")
          .withUid("u-1")
          .addToLabels("app.kubernetes.io/name", "x")
          .addToAnnotations("note", "hello")
          .endMetadata()
          .withNewSpec()
          .withNodeName("n1")
          .withServiceAccountName("sa")
          .endSpec()
          .build();
  private final ContainerEnvironment environment =
      new ContainerEnvironment(
          "ns", new Known(), new DownwardApi(pod, "127.9.8.7", Map.of("cpu", "64")));

  @Test
  void valuesSeeWhatIsDefinedAboveThemAndTheLastDefinitionWins() throws Exception {
    Container container =
        new ContainerBuilder()
            .addNewEnv()
            .withName("LATE")
            .withValue("$(HOST)")
            .endEnv()
            .addNewEnv()
            .withName("HOST")
            .withValue("h")
            .endEnv()
            .addNewEnv()
            .withName("URL")
            .withValue("tcp://$(HOST):1 $$(HOST)")
            .endEnv()
            .addNewEnv()
            .withName("HOST")
            .withValue("other-$(HOST)")
            .endEnv()
            .addNewEnv()
            .withName("EMPTY")
            .endEnv()
            .build();
    assertThat(environment.resolve(container))
        .containsEntry("LATE", "$(HOST)")
        .containsEntry("URL", "tcp://h:1 $(HOST)")
        .containsEntry("HOST", "other-h")
        .containsEntry("EMPTY", "");
  }

  @Test
  void downwardApiTellsThePodsOwnFields() throws Exception {
    Map<String, String> paths =
        Map.of(
            "NAME", "metadata.name",
            "NAMESPACE", "metadata.namespace",
            "POD_UID", "metadata.uid",
            "LABEL", "metadata.labels['app.kubernetes.io/name']",
            "NO_LABEL", "metadata.labels['none']",
            "NOTE", "metadata.annotations['note']",
            "NODE", "spec.nodeName",
            "ACCOUNT", "spec.serviceAccountName",
            "POD_IP", "status.podIP",
            "HOST_IP", "status.hostIP");
    ContainerBuilder container = new ContainerBuilder();
    paths.forEach(
        (name, path) ->
            container
                .addNewEnv()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef("v1", path)
                .endValueFrom()
                .endEnv());
    assertThat(environment.resolve(container.build()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "NAME", "p",
                "NAMESPACE", "ns",
                "POD_UID", "u-1",
                "LABEL", "x",
                "NO_LABEL", "",
                "NOTE", "hello",
                "NODE", "n1",
                "ACCOUNT", "sa",
                "POD_IP", "127.9.8.7",
                "HOST_IP", "127.0.0.1"));
  }

  @Test
  void resourcesAreDividedAndRoundedUp() throws Exception {
    Container container =
        new ContainerBuilder()
            .withNewResources()
            .addToRequests("cpu", new Quantity("1500m"))
            .addToLimits("memory", new Quantity("1Gi"))
            .endResources()
            .addNewEnv()
            .withName("CPU")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withResource("requests.cpu")
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("MIB")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withDivisor(new Quantity("1Mi"))
            .withResource("limits.memory")
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("ALL_CPU")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withResource("limits.cpu")
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .build();
    assertThat(environment.resolve(container))
        .containsExactly(
            Map.entry("CPU", "2"), Map.entry("MIB", "1024"), Map.entry("ALL_CPU", "64"));
  }

  @Test
  void configMapsAndSecretsGiveValuesAndOptionalOnesMayBeMissing() throws Exception {
    Container container =
        new ContainerBuilder()
            .addNewEnvFrom()
            .withPrefix("C_")
            .withNewConfigMapRef("map", false)
            .endEnvFrom()
            .addNewEnvFrom()
            .withNewSecretRef("secret", null)
            .endEnvFrom()
            .addNewEnvFrom()
            .withNewSecretRef("none", true)
            .endEnvFrom()
            .addNewEnv()
            .withName("KEY")
            .withNewValueFrom()
            .withNewConfigMapKeyRef("key", "map", null)
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("PASSWORD")
            .withNewValueFrom()
            .withNewSecretKeyRef("password", "secret", null)
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("NONE")
            .withNewValueFrom()
            .withNewSecretKeyRef("other", "secret", true)
            .endValueFrom()
            .endEnv()
            .build();
    assertThat(environment.resolve(container))
        .containsExactly(
            Map.entry("C_key", "value"),
            Map.entry("password", "s3cret"),
            Map.entry("KEY", "value"),
            Map.entry("PASSWORD", "s3cret"));
  }

  @Test
  void whatIsMissingIsNamed() {
    Container noMap =
        new ContainerBuilder()
            .addNewEnvFrom()
            .withNewConfigMapRef("none", null)
            .endEnvFrom()
            .build();
    Container noKey =
        new ContainerBuilder()
            .addNewEnv()
            .withName("X")
            .withNewValueFrom()
            .withNewConfigMapKeyRef("nokey", "map", null)
            .endValueFrom()
            .endEnv()
            .build();
    assertThatThrownBy(() -> environment.resolve(noMap)).hasMessage("configmap \"none\" not found");
    assertThatThrownBy(() -> environment.resolve(noKey))
        .hasMessage("couldn't find key nokey in ConfigMap ns/map");
  }

  private static final class Known implements ClusterObjects {
    @Override
    public Optional<ConfigMap> configMap(String namespace, String name) {
      return name.equals("map")
          ? Optional.of(new ConfigMapBuilder().addToData("key", "value").build())
          : Optional.empty();
    }

    @Override
    public Optional<Secret> secret(String namespace, String name) {
      return name.equals("secret")
          ? Optional.of(new SecretBuilder().addToData("password", "czNjcmV0").build())
          : Optional.empty();
    }

    @Override
    public List<Service> services(String namespace) {
      return List.of();
    }

    @Override
    public List<Pod> pods(String namespace, Map<String, String> labels) {
      return List.of();
    }

    @Override
    public String token(Pod pod, String account, String audience, long seconds) {
      return "token";
    }
  }
}
