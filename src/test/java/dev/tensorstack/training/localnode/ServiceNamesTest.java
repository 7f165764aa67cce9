package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceNamesTest {
  private final PodAddresses addresses = PodAddresses.of("https://127.0.0.1:3/");
  private final String master = addresses.addressOf("team-a", "", "mnist-master-0");
  private final Namespace namespace = new Namespace();

  ServiceNamesTest() {
    namespace.add(service("mnist-master-0", "None"), pod("mnist-master-0"));
    namespace.add(service("mnist-worker-0", "None"));
    namespace.add(service("mnist", "None"), pod("mnist-a"), pod("mnist-b"));
    namespace.add(service("one", "None"), pod("another"));
    namespace.add(service("proxied-0", "10.0.0.7"), pod("proxied-0"));
  }

  private String replace(String text) {
    return new ServiceNames(addresses, namespace, "team-a").replace(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mnist-master-0",
        "mnist-master-0.team-a",
        "mnist-master-0.team-a.svc",
        "mnist-master-0.team-a.svc.cluster.local",
        "mnist-master-0.team-a.svc.cluster.local.",
      })
  void everySpellingOfANameIsReplaced(String name) {
    assertThat(replace(name)).isEqualTo(master);
    assertThat(replace("--rdzv_endpoint=" + name + ":23456"))
        .isEqualTo("--rdzv_endpoint=" + master + ":23456");
    assertThat(replace("tcp://" + name + "/x")).isEqualTo("tcp://" + master + "/x");
    assertThat(replace("ping " + name + "; ping " + name))
        .isEqualTo("ping " + master + "; ping " + master);
  }

  @Test
  void aPodThatDoesNotExistYetHasItsAddressAlready() {
    assertThat(replace("mnist-worker-0:23456"))
        .isEqualTo(addresses.addressOf("team-a", "", "mnist-worker-0") + ":23456");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mnist-master-01",
        "my-mnist-master-0",
        "mnist-master-0.py",
        "mnist-master-0.team-b",
        "/data/mnist-master-0/log",
        "mnist",
        "one",
        "proxied-0",
        "mnist-worker-1",
      })
  void otherTextsStay(String text) {
    assertThat(replace(text)).isEqualTo(text);
  }

  private static Service service(String name, String clusterIp) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withClusterIP(clusterIp)
        .withSelector(Map.of("app", name))
        .endSpec()
        .build();
  }

  private static Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("team-a")
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }

  private static final class Namespace implements ClusterObjects {
    private final List<Service> services = new ArrayList<>();
    private final Map<Map<String, String>, List<Pod>> selected = new HashMap<>();

    void add(Service service, Pod... pods) {
      services.add(service);
      selected.put(service.getSpec().getSelector(), List.of(pods));
    }

    @Override
    public List<Service> services(String namespace) {
      return services;
    }

    @Override
    public List<Pod> pods(String namespace, Map<String, String> labels) {
      return selected.getOrDefault(labels, List.of());
    }

    @Override
    public Optional<ConfigMap> configMap(String namespace, String name) {
      return Optional.empty();
    }

    @Override
    public Optional<Secret> secret(String namespace, String name) {
      return Optional.empty();
    }

    @Override
    public String token(Pod pod, String account, String audience, long seconds) {
      return "";
    }
  }
}
