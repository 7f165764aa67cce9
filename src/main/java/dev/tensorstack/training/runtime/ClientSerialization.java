package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.quarkus.arc.All;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapper;
import io.quarkus.kubernetes.client.KubernetesResources;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the client reads, writes and copies objects. The framework copies a job out of its cache for
 * each look at it, with the client's copy; that writes the whole object as JSON and reads it again,
 * which takes longer than the look. (To give the framework another way of copying through its own
 * {@code ConfigurationServiceCustomizer} takes the application's client away from it.)
 */
final class ClientSerialization extends KubernetesSerialization {

  private final Map<Class<?>, JobKind<?>> jobs = new HashMap<>();

  /**
   * A serialization.
   *
   * @param mapper the client's mapper
   * @param jobs the kinds of jobs
   */
  ClientSerialization(ObjectMapper mapper, List<JobKind<?>> jobs) {
    super(mapper, false);
    jobs.forEach(kind -> this.jobs.put(kind.type(), kind));
  }

  @Override
  public <T> T clone(T object) {
    JobKind<?> kind = object == null ? null : jobs.get(object.getClass());
    if (kind == null) {
      return super.clone(object);
    }
    @SuppressWarnings("unchecked") // The type of the copy is the object's.
    T copy = (T) copy(kind, object);
    return copy;
  }

  private static <R extends CustomResource<?, ?>> R copy(JobKind<R> kind, Object job) {
    return kind.copy(kind.type().cast(job));
  }

  /** Takes the place of the extension's own. */
  static class Producer {

    /**
     * The client's serialization.
     *
     * @param mapper the client's mapper
     * @param kinds of objects that are known at build time
     * @param jobs the kinds of jobs
     * @return reads, writes and copies
     */
    @Produces
    @Singleton
    @SuppressWarnings({"rawtypes", "unchecked"}) // That is the type which the extension gives it.
    KubernetesSerialization serialization(
        @KubernetesClientObjectMapper ObjectMapper mapper,
        @KubernetesResources Class[] kinds,
        @All List<JobKind<?>> jobs) {
      ClientSerialization serialization = new ClientSerialization(mapper, jobs);
      for (Class kind : kinds) {
        serialization.registerKubernetesResource(kind);
      }
      return serialization;
    }
  }
}
