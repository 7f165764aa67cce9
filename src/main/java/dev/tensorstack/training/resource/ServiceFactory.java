package dev.tensorstack.training.resource;

import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.naming.Ports;
import dev.tensorstack.training.observation.TrainingJob;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import java.util.LinkedHashMap;
import java.util.Map;

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
    // In this order: two operators, a binary and a jar, write the same bytes.
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(Labels.OWNER_NAME, job.name());
    labels.put(Labels.JOB_UID, job.uid());
    labels.put(Labels.MANAGED_BY, Labels.OPERATOR);
    return new ServiceBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(job.names().service())
        .withLabels(labels)
        .withOwnerReferences(OwnedBy.job(job))
        .endMetadata()
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(Map.of(Labels.JOB_UID, job.uid()))
        .withPorts(port("master", Ports.MASTER), port("rendezvous", Ports.RENDEZVOUS))
        .endSpec()
        .build();
  }

  private static ServicePort port(String name, int number) {
    return new ServicePortBuilder()
        .withName(name)
        .withPort(number)
        .withNewTargetPort(number)
        .build();
  }
}
