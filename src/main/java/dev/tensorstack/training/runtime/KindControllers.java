package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.engine.Leadership;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.config.ConfigurationService;
import io.javaoperatorsdk.operator.processing.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Starts the controllers of the served kinds, each once its {@link StartCondition}s hold, and stops
 * one whose lasting conditions do not hold any more. The framework begins with all of its
 * controllers or with none, so that one CRD that is missing would hold up the jobs of all kinds.
 */
public final class KindControllers {

  private static final Logger LOG = Logger.getLogger(KindControllers.class);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  /** How many looks there are for one at the lasting conditions of a controller that works. */
  private static final int LOOKS_FOR_LASTING_ONES = 5;

  private final KubernetesClient client;
  private final Operator operator;
  private final ConfigurationService configuration;
  private final Leadership leadership;
  private final KindStates states;
  private final ControllerGauges gauges;
  private final List<ServedKind> kinds;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DaemonThreads("kinds"));
  private long looks;

  /** A kind, what must be so before it is worked on, and its controller while it is. */
  static final class ServedKind {
    private final JobReconciler<?> reconciler;
    private final List<StartCondition> conditions;
    private volatile @Nullable Controller<?> controller;

    /**
     * A kind that is not worked on yet.
     *
     * @param reconciler works on its jobs
     * @param conditions what must be so before; asked in this order, up to the first that is not so
     */
    ServedKind(JobReconciler<?> reconciler, List<StartCondition> conditions) {
      this.reconciler = reconciler;
      this.conditions = conditions;
    }

    /** What is not so; null when nothing is in the way. */
    private @Nullable String obstacle(boolean lastingOnly) {
      return conditions.stream()
          .filter(condition -> !lastingOnly || condition.lasts())
          .map(StartCondition::obstacle)
          .filter(Objects::nonNull)
          .findFirst()
          .orElse(null);
    }

    private String name() {
      return reconciler.kind().kind();
    }
  }

  /**
   * The controllers of some kinds.
   *
   * @param client talks to the API server
   * @param operator the framework
   * @param configuration how the framework runs controllers
   * @param leadership whether this process works on jobs
   * @param states is told what keeps a kind from being worked on
   * @param gauges go with a controller that ends
   * @param kinds the served kinds
   */
  KindControllers(
      KubernetesClient client,
      Operator operator,
      ConfigurationService configuration,
      Leadership leadership,
      KindStates states,
      ControllerGauges gauges,
      List<ServedKind> kinds) {
    this.client = client;
    this.operator = operator;
    this.configuration = configuration;
    this.leadership = leadership;
    this.states = states;
    this.gauges = gauges;
    this.kinds = kinds;
    kinds.forEach(kind -> gauges.informers(kind.name(), () -> kind.controller));
  }

  /**
   * Waits until nothing is in the way of at least one of the kinds, and starts the framework with
   * all of which this is so.
   *
   * @throws InterruptedException when the thread is interrupted
   * @throws OperatorException when the framework cannot be started
   */
  public void start() throws InterruptedException {
    List<ServedKind> first = unobstructed();
    while (first.isEmpty()) {
      if (leadership.hasEnded()) {
        return;
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
      first = unobstructed();
    }
    for (ServedKind kind : first) {
      kind.controller = (Controller<?>) operator.register(kind.reconciler);
    }
    operator.start();
    looking.scheduleWithFixedDelay(
        this::look, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
  }

  private List<ServedKind> unobstructed() {
    return kinds.stream()
        .filter(kind -> states.tell(kind.reconciler.kind(), kind.obstacle(false)))
        .toList();
  }

  /** One that does not lead has nothing to do with it. */
  private synchronized void look() {
    if (!leadership.leads()) {
      return;
    }
    boolean lastingToo = looks++ % LOOKS_FOR_LASTING_ONES == 0;
    for (ServedKind kind : kinds) {
      try {
        if (kind.controller == null) {
          startWhenPossible(kind);
        } else if (lastingToo) {
          stopWhenObstructed(kind, kind.controller);
        }
      } catch (RuntimeException problem) {
        LOG.warnf(problem, "%s: not known whether it can be worked on, asked again", kind.name());
      }
    }
  }

  private void startWhenPossible(ServedKind kind) {
    if (states.tell(kind.reconciler.kind(), kind.obstacle(false)) && !looking.isShutdown()) {
      kind.controller = started(kind.reconciler);
    }
  }

  private <R extends CustomResource<?, ?>> @Nullable Controller<R> started(
      JobReconciler<R> reconciler) {
    Controller<R> controller =
        new Controller<>(reconciler, configuration.getConfigurationFor(reconciler), client);
    try {
      controller.start(true);
      LOG.infof("%s: its jobs are worked on from now on", reconciler.kind().kind());
      return controller;
    } catch (RuntimeException problem) {
      LOG.warnf(problem, "%s: its controller does not start, it is tried again", reconciler.kind());
      end(reconciler, controller);
      return null;
    }
  }

  private void stopWhenObstructed(ServedKind kind, Controller<?> controller) {
    if (!states.tell(kind.reconciler.kind(), kind.obstacle(true))) {
      end(kind.reconciler, controller);
      kind.controller = null;
    }
  }

  /** Another controller of the kind may follow. */
  private void end(JobReconciler<?> reconciler, Controller<?> controller) {
    reconciler.pause();
    controller.stop();
    gauges.forget(controller);
  }

  /** Ends all of them; one that is just being started is interrupted. */
  void stop() {
    looking.shutdownNow();
    synchronized (this) {
      kinds.stream()
          .map(kind -> kind.controller)
          .filter(Objects::nonNull)
          .filter(
              late -> operator.getRegisteredControllers().stream().noneMatch(one -> one == late))
          .forEach(Controller::stop);
    }
    operator.stop();
  }
}
