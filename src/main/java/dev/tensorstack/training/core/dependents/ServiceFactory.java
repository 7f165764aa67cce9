package dev.tensorstack.training.core.dependents;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.JobPorts;
import dev.tensorstack.training.core.policy.TrainingContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The headless Service that gives the pods of a job their DNS names. */
public final class ServiceFactory {

  private ServiceFactory() {}

  /**
   * The Service of a job. It publishes addresses of pods that are not ready: the ranks look for
   * each other before any of them can be.
   *
   * @param job the job
   * @return the Service to create
   */
  public static Service service(TrainingJob job) {
    JobPorts ports = JobPorts.of(job.uid(), job.spec());
    return new ServiceBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(job.names().service())
        .withLabels(job.labels().ofObjects())
        .withOwnerReferences(OwnedBy.job(job))
        .endMetadata()
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(job.labels().ofPublished())
        .withPorts(ports(ports))
        .endSpec()
        .build();
  }

  /**
   * The Service of one replica, which publishes its address before the pod is ready, too. Its ports
   * are those of the training container, and unnamed ones get names of their own: a Service with
   * several ports has to name each.
   *
   * @param job the job
   * @param replica one of its replicas
   * @return the Service to create
   */
  public static Service ofReplica(TrainingJob job, ReplicaId replica) {
    Map<String, String> labels = job.labels().ofReplica(replica.type(), replica.index());
    return new ServiceBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(job.names().replicaService(replica.type(), replica.index()))
        .withLabels(labels)
        .withOwnerReferences(OwnedBy.job(job))
        .endMetadata()
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(labels)
        .withPorts(ports(job.spec(), replica))
        .endSpec()
        .build();
  }

  /** A Service has each port once; a job uses one of the two, so they may be the same. */
  private static List<ServicePort> ports(JobPorts ports) {
    ServicePort master = port("master", ports.master());
    return ports.master() == ports.rendezvous()
        ? List.of(master)
        : List.of(master, port("rendezvous", ports.rendezvous()));
  }

  private static List<ServicePort> ports(JobSpec spec, ReplicaId replica) {
    List<Container> containers = spec.type(replica.type()).template().getSpec().getContainers();
    Container training =
        containers.get(TrainingContainer.indexIn(containers, spec.traits().trainingContainer()));
    Map<String, ServicePort> byPort = new LinkedHashMap<>();
    for (ContainerPort port : training.getPorts()) {
      String protocol = Objects.requireNonNullElse(port.getProtocol(), "TCP");
      String place = port.getContainerPort() + "-" + protocol.toLowerCase(Locale.ROOT);
      String name = port.getName() == null ? "port-" + place : port.getName();
      byPort.putIfAbsent(
          place,
          new ServicePortBuilder(port(name, port.getContainerPort()))
              .withProtocol(protocol)
              .build());
    }
    return List.copyOf(byPort.values());
  }

  private static ServicePort port(String name, int number) {
    return new ServicePortBuilder()
        .withName(name)
        .withPort(number)
        .withNewTargetPort(number)
        .build();
  }
}
