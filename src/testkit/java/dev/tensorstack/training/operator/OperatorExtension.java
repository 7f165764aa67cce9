package dev.tensorstack.training.operator;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OperatorTest} promises. */
final class OperatorExtension implements AfterAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(OperatorExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == OperatorProcess.class || type == Jobs.class || type == FakeKubelet.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Scene scene = scene(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == OperatorProcess.class) {
      return scene.operator;
    }
    if (type == Jobs.class) {
      return scene.jobs;
    }
    if (scene.kubelet == null) {
      throw new ParameterResolutionException("there are no nodes");
    }
    return scene.kubelet;
  }

  /** Before the namespace goes. */
  @Override
  public void afterAll(ExtensionContext context) {
    @Nullable Scene scene = context.getStore(STORE).get(Scene.class, Scene.class);
    if (scene != null) {
      scene.close();
    }
  }

  private static Scene scene(ExtensionContext context) {
    ExtensionContext ofClass = context;
    while (ofClass.getTestMethod().isPresent()) {
      ofClass = ofClass.getParent().orElseThrow();
    }
    OperatorTest wanted = ofClass.getRequiredTestClass().getAnnotation(OperatorTest.class);
    return ofClass
        .getStore(STORE)
        .computeIfAbsent(
            Scene.class, key -> new Scene(ControlPlaneExtension.shared(), wanted), Scene.class);
  }

  /** Closed by JUnit as well, when the constructor of the test class fails. */
  private static final class Scene implements AutoCloseable {
    private final Jobs jobs;
    private final @Nullable FakeKubelet kubelet;
    private final OperatorProcess operator;

    Scene(ControlPlane controlPlane, OperatorTest wanted) {
      OperatorProcess.installCrd(controlPlane.client());
      String namespace = controlPlane.createNamespace(wanted.value());
      jobs = new Jobs(controlPlane.client(), namespace);
      Map<String, String> settings = new LinkedHashMap<>();
      settings.put("OPERATOR_WATCH_NAMESPACES", namespace);
      for (String setting : wanted.env()) {
        String[] parts = setting.split("=", 2);
        settings.put(parts[0], parts[1]);
      }
      operator =
          wanted.webhooks()
              ? OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), settings)
              : OperatorProcess.start(controlPlane.kubeconfig(), settings);
      kubelet =
          wanted.nodes() == 0
              ? null
              : FakeKubelet.start(
                  controlPlane.client(),
                  FakeKubeletOptions.nodes(wanted.nodes()).namePrefix(wanted.value()));
    }

    @Override
    public void close() {
      operator.close();
      if (kubelet != null) {
        kubelet.close();
      }
    }
  }
}
