package dev.tensorstack.training.core.dependents;

import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;

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
