package dev.tensorstack.training.operator;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OperatorTest} promises. */
final class OperatorExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(OperatorExtension.class);

  private static final Set<Class<?>> TYPES =
      Set.of(OperatorProcess.class, Jobs.class, Jobs[].class, FakeKubelet.class, ApiProxy.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return TYPES.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    Object part = scene(context).parts.get(type);
    if (part == null) {
      throw new ParameterResolutionException(
          "the class's @OperatorTest asks for no " + type.getSimpleName());
    }
    return part;
  }

  /** For classes that ask for nothing of it. */
  @Override
  public void beforeAll(ExtensionContext context) {
    Scene unused = scene(context);
  }

  /** Before the namespaces go. */
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

    /** What there is, by the type of the parameters. */
    private final Map<Class<?>, Object> parts = new HashMap<>();

    /** What is to be done at the end, the last first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();

    Scene(ControlPlane controlPlane, OperatorTest wanted) {
      OperatorProcess.installCrds(controlPlane.client());
      Jobs[] jobs =
          Stream.of(wanted.value())
              .map(controlPlane::createNamespace)
              .map(namespace -> new Jobs(controlPlane.client(), namespace))
              .toArray(Jobs[]::new);
      parts.put(Jobs[].class, jobs);
      parts.put(Jobs.class, jobs[0]);
      try {
        begin(controlPlane, wanted, jobs);
      } catch (RuntimeException problem) {
        close();
        throw problem;
      }
    }

    private void begin(ControlPlane controlPlane, OperatorTest wanted, Jobs[] jobs) {
      if (wanted.nodes() > 0) {
        FakeKubeletOptions nodes =
            FakeKubeletOptions.nodes(wanted.nodes())
                .namePrefix(wanted.value()[0])
                .label("pool", jobs[0].namespace())
                .deletion(Duration.ofMillis(wanted.deletionMillis()), wanted.deletionExitCode());
        FakeKubelet kubelet = FakeKubelet.start(controlPlane.client(), nodes);
        ends.push(kubelet::close);
        parts.put(FakeKubelet.class, kubelet);
      }
      Path kubeconfig = controlPlane.kubeconfig();
      if (wanted.proxy()) {
        ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig());
        ends.push(proxy::close);
        parts.put(ApiProxy.class, proxy);
        kubeconfig = proxy.kubeconfig();
      }
      if (wanted.operator()) {
        Map<String, String> settings = settings(wanted, jobs);
        OperatorProcess operator =
            wanted.webhooks()
                ? OperatorProcess.startWithWebhooks(kubeconfig, settings)
                : OperatorProcess.start(kubeconfig, settings);
        ends.push(operator::close);
        parts.put(OperatorProcess.class, operator);
      }
    }

    private static Map<String, String> settings(OperatorTest wanted, Jobs[] jobs) {
      Map<String, String> settings = new LinkedHashMap<>();
      settings.put(
          "OPERATOR_WATCH_NAMESPACES",
          Stream.of(jobs).map(Jobs::namespace).collect(Collectors.joining(",")));
      if (wanted.shortDelays()) {
        settings.putAll(OperatorProcess.SHORT_DELAYS);
      }
      for (String setting : wanted.env()) {
        String[] parts = setting.split("=", 2);
        settings.put(parts[0], parts[1]);
      }
      return settings;
    }

    @Override
    public void close() {
      while (!ends.isEmpty()) {
        ends.pop().run();
      }
    }
  }
}
