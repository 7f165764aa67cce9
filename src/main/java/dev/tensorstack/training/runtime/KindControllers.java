package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.Leadership;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.processing.Controller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Starts the controllers of the served kinds. The framework begins with all of them or with none,
 * so that one CRD that is missing would hold up the jobs of all kinds: a kind whose CRD is not
 * there at the start gets its controller later.
 */
public final class KindControllers {

  private static final Logger LOG = Logger.getLogger(KindControllers.class);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final KubernetesClient client;
  private final Operator operator;
  private final ConfigurationService configuration;
  private final Leadership leadership;
  private final List<JobReconciler<?>> missing;
  private final List<Controller<?>> late = new ArrayList<>();
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DaemonThreads("kinds"));

  /**
   * The controllers of some kinds.
   *
   * @param client talks to the API server
   * @param operator the framework
   * @param configuration how the framework runs controllers
   * @param leadership whether this process works on jobs
   * @param reconcilers one for each served kind
   */
  KindControllers(
      KubernetesClient client,
      Operator operator,
      ConfigurationService configuration,
      Leadership leadership,
      List<JobReconciler<?>> reconcilers) {
    this.client = client;
    this.operator = operator;
    this.configuration = configuration;
    this.leadership = leadership;
    this.missing = new ArrayList<>(reconcilers);
  }

  /**
   * Waits until the API server serves at least one of the kinds, and starts the framework with all
   * that are there.
   *
   * @throws InterruptedException when the thread is interrupted
   * @throws OperatorException when the framework cannot be started
   */
  public void start() throws InterruptedException {
    List<JobReconciler<?>> there = there();
    if (there.isEmpty()) {
      LOG.warnf("%s: no job can be worked on before the CRD is installed", names(missing));
    }
    while (there.isEmpty()) {
      if (leadership.hasEnded()) {
        return;
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
      there = there();
    }
    there.forEach(operator::register);
    missing.removeAll(there);
    operator.start();
    if (!missing.isEmpty()) {
      LOG.warnf(
          "%s: the API server does not serve it; its jobs are worked on once the CRD is installed."
              + " OPERATOR_KINDS leaves a kind out",
          names(missing));
      looking.scheduleWithFixedDelay(
          this::look, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** A kind may be there by now. One that does not lead has nothing to do with it. */
  private synchronized void look() {
    if (!leadership.leads()) {
      return;
    }
    try {
      there().forEach(this::startLate);
    } catch (RuntimeException problem) {
      LOG.warnf(problem, "%s: not known whether it is served, asked again", names(missing));
    }
    if (missing.isEmpty()) {
      looking.shutdown();
    }
  }

  private <R extends CustomResource<?, ?>> void startLate(JobReconciler<R> reconciler) {
    if (looking.isShutdown()) {
      return;
    }
    Controller<R> controller =
        new Controller<>(reconciler, configuration.getConfigurationFor(reconciler), client);
    try {
      controller.start(true);
      late.add(controller);
      missing.remove(reconciler);
      LOG.infof("%s: the CRD is installed, its jobs are worked on", reconciler.kind().kind());
    } catch (RuntimeException problem) {
      LOG.warnf(problem, "%s: its controller does not start, it is tried again", reconciler.kind());
      controller.stop();
    }
  }

  /** Ends all of them; one that is just being started is interrupted. */
  void stop() {
    looking.shutdownNow();
    synchronized (this) {
      late.forEach(Controller::stop);
    }
    operator.stop();
  }

  private List<JobReconciler<?>> there() {
    return missing.stream().filter(reconciler -> isServed(reconciler.kind())).toList();
  }

  /** Where the API server does not say, the watch finds out. */
  private boolean isServed(ObjectKind kind) {
    try {
      APIResourceList served = client.getApiResources(kind.apiVersion());
      return served != null
          && served.getResources().stream()
              .anyMatch(resource -> kind.plural().equals(resource.getName()));
    } catch (KubernetesClientException silent) {
      LOG.debugf("whether %s is served cannot be asked: %s", kind, silent.getMessage());
      return true;
    }
  }

  private static String names(List<JobReconciler<?>> reconcilers) {
    return reconcilers.stream()
        .map(one -> one.kind().plural() + "." + one.kind().group())
        .collect(Collectors.joining(", "));
  }
}
