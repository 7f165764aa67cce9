package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapper;
import io.quarkus.kubernetes.client.KubernetesResources;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/**
 * How the client reads, writes and copies objects. The framework copies a job out of its cache for
 * each look at it, with the client's copy; that writes the whole object as JSON and reads it again,
 * which takes longer than the look. (To give the framework another way of copying through its own
 * {@code ConfigurationServiceCustomizer} takes the application's client away from it.)
 */
final class ClientSerialization extends KubernetesSerialization {

  private ClientSerialization(ObjectMapper mapper) {
    super(mapper, false);
  }

  @Override
  public <T> T clone(T object) {
    if (object instanceof PyTorchTrainingJob job) {
      @SuppressWarnings("unchecked") // The type of the copy is the object's.
      T copy = (T) job.copy();
      return copy;
    }
    return super.clone(object);
  }

  /** Takes the place of the extension's own. */
  static class Producer {

    /**
     * The client's serialization.
     *
     * @param mapper the client's mapper
     * @param kinds of objects that are known at build time
     * @return reads, writes and copies
     */
    @Produces
    @Singleton
    @SuppressWarnings({"rawtypes", "unchecked"}) // That is the type which the extension gives it.
    KubernetesSerialization serialization(
        @KubernetesClientObjectMapper ObjectMapper mapper, @KubernetesResources Class[] kinds) {
      ClientSerialization serialization = new ClientSerialization(mapper);
      for (Class kind : kinds) {
        serialization.registerKubernetesResource(kind);
      }
      return serialization;
    }
  }
}
