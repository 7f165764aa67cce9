package dev.tensorstack.training.controlplane;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one {@link ControlPlane}, started at the first use and shared by all test classes of
 * the JVM; it ends with the test run. Constructor, method and life cycle parameters of the types
 * {@link ControlPlane} and {@link KubernetesClient} (an administrator; not to be closed) are filled
 * in.
 *
 * <p>Its audit log is on, it knows native PodGroups, and pods leave a lost node after five seconds.
 * Because it is shared, each test class works in namespaces of its own: {@link
 * ControlPlane#createNamespace}.
 */
public final class ControlPlaneExtension implements BeforeAllCallback, ParameterResolver {
  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create("dev.tensorstack.training.controlplane");

  /** Tests may be loaded by several class loaders (Quarkus does so); properties are seen by all. */
  private static final String SHARED_DIRECTORY = "controlplane.shared.directory";

  private static final Duration NODE_LOSS_TOLERATION = Duration.ofSeconds(5);

  @Override
  public void beforeAll(ExtensionContext context) {
    ControlPlane unused = shared(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == ControlPlane.class || type == KubernetesClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ControlPlane controlPlane = shared(context);
    return parameter.getParameter().getType() == ControlPlane.class
        ? controlPlane
        : controlPlane.client();
  }

  /** The shared control plane, for other extensions; it is started when needed. */
  public static ControlPlane shared(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(
            "holder of " + ControlPlaneExtension.class.getClassLoader(),
            key -> Holder.open(),
            Holder.class)
        .controlPlane;
  }

  /** Owns the control plane, or a view of the one that another class loader started. */
  private static final class Holder implements AutoCloseable {
    private final ControlPlane controlPlane;

    private Holder(ControlPlane controlPlane) {
      this.controlPlane = controlPlane;
    }

    static Holder open() {
      synchronized (System.getProperties()) {
        @Nullable String directory = System.getProperty(SHARED_DIRECTORY);
        if (directory != null) {
          return new Holder(ControlPlane.attach(Path.of(directory)));
        }
        ControlPlane started =
            ControlPlane.builder()
                .auditLog(true)
                .podGroups(true)
                .nodeLossToleration(NODE_LOSS_TOLERATION)
                .start();
        System.setProperty(SHARED_DIRECTORY, started.directory().toString());
        return new Holder(started);
      }
    }

    @Override
    public void close() {
      synchronized (System.getProperties()) {
        if (controlPlane.directory().toString().equals(System.getProperty(SHARED_DIRECTORY))
            && controlPlane.isOwner()) {
          System.clearProperty(SHARED_DIRECTORY);
        }
      }
      controlPlane.close();
    }
  }
}
