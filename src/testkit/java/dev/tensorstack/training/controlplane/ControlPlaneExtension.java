package dev.tensorstack.training.controlplane;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one {@link ControlPlane}, started at the first use and shared by all test classes of
 * the JVM; it ends with the JVM. Constructor, method and life cycle parameters of the types {@link
 * ControlPlane} and {@link KubernetesClient} (an administrator; not to be closed) are filled in.
 *
 * <p>Its audit log is on, it knows native PodGroups if its version has them, and pods leave a lost
 * node after five seconds. Because it is shared, each test class works in namespaces of its own:
 * {@link ControlPlane#createNamespace}, which are removed after it.
 */
public final class ControlPlaneExtension
    implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
  /** Tests may be loaded by several class loaders (Quarkus does so); properties are seen by all. */
  private static final String SHARED_DIRECTORY = "controlplane.shared.directory";

  private static final Duration NODE_LOSS_TOLERATION = Duration.ofSeconds(5);

  /** Not in a store of JUnit's: Surefire's forks begin a test run for each class. */
  private static @Nullable ControlPlane shared;

  @Override
  public void beforeAll(ExtensionContext context) {
    ControlPlane unused = shared();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (!context.getRequiredTestClass().isMemberClass()) {
      removeNamespaces(shared().client());
    }
  }

  /** Jobs first, and at once: operators of later tests may watch all namespaces. */
  private static void removeNamespaces(KubernetesClient client) {
    List<Class<? extends CustomResource<?, ?>>> kinds =
        Stream.<Class<? extends CustomResource<?, ?>>>of(PyTorchTrainingJob.class, PyTorchJob.class)
            .filter(kind -> isServed(client, kind))
            .toList();
    for (Namespace namespace : client.namespaces().list().getItems()) {
      String name = namespace.getMetadata().getName();
      if (name.equals("default") || name.startsWith("kube-")) {
        continue;
      }
      for (Class<? extends CustomResource<?, ?>> kind : kinds) {
        List<StatusDetails> unused = client.resources(kind).inNamespace(name).delete();
      }
      List<StatusDetails> unused = client.resource(namespace).delete();
    }
  }

  private static boolean isServed(
      KubernetesClient client, Class<? extends CustomResource<?, ?>> kind) {
    return client
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName(CustomResource.getCRDName(kind))
            .get()
        != null;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == ControlPlane.class || type == KubernetesClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ControlPlane controlPlane = shared();
    return parameter.getParameter().getType() == ControlPlane.class
        ? controlPlane
        : controlPlane.client();
  }

  /** The shared control plane, for other extensions; it is started when needed. */
  public static synchronized ControlPlane shared() {
    if (shared == null) {
      shared = open();
    }
    return shared;
  }

  /** Starts it, or attaches to the one that another class loader has started. */
  private static ControlPlane open() {
    synchronized (System.getProperties()) {
      @Nullable String directory = System.getProperty(SHARED_DIRECTORY);
      if (directory != null) {
        return ControlPlane.attach(Path.of(directory));
      }
      ControlPlane started =
          ControlPlane.builder()
              .auditLog(true)
              .podGroups(true)
              .memoryForTime(true)
              .nodeLossToleration(NODE_LOSS_TOLERATION)
              .start();
      System.setProperty(SHARED_DIRECTORY, started.directory().toString());
      Runtime.getRuntime().addShutdownHook(new Thread(started::close, "control-plane-end"));
      return started;
    }
  }
}
