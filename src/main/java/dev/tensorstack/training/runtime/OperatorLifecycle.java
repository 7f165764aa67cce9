package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.FairWriteQueue;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.ReportAvailability;
import dev.tensorstack.training.progress.ProgressReports;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Starts the work on jobs beside the servers, and ends it as the first thing of a shutdown, so that
 * another replica goes on at once while this one still serves webhooks.
 */
@Singleton
public class OperatorLifecycle {

  private static final Logger LOG = Logger.getLogger(OperatorLifecycle.class);
  private static final int NOT_STARTED = 1;

  /** Before the webhooks are taken back. */
  private static final int FIRST = 1;

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
  private static final Duration FOR_THE_CERTIFICATE = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final KindControllers controllers;
  private final OperatorConfiguration configuration;
  private final FairWriteQueue writes;
  private final Leadership leadership;
  private final LeaderElection election;
  private final ProgressReports progress;
  private final ReportAvailability availability;

  /**
   * A lifecycle, which begins with the application's.
   *
   * @param client the cluster
   * @param controllers the controllers of the served kinds
   * @param configuration properties and environment variables
   * @param writes the queue of all pod writes
   * @param leadership is told the begin, when there is no election, and the end
   * @param election gives the Lease back
   * @param progress is waited for, for a moment
   * @param availability is looked at all the time
   */
  public OperatorLifecycle(
      KubernetesClient client,
      KindControllers controllers,
      OperatorConfiguration configuration,
      FairWriteQueue writes,
      Leadership leadership,
      LeaderElection election,
      ProgressReports progress,
      ReportAvailability availability) {
    this.client = client;
    this.controllers = controllers;
    this.configuration = configuration;
    this.writes = writes;
    this.leadership = leadership;
    this.election = election;
    this.progress = progress;
    this.availability = availability;
  }

  /** The HTTP servers do not wait for the caches, and tests of them need no cluster. */
  void begin(@Observes StartupEvent started) {
    if (LaunchMode.current() == LaunchMode.TEST) {
      return;
    }
    Thread starting = new Thread(this::start, "operator-start");
    starting.setDaemon(true);
    starting.start();
  }

  private void start() {
    PlainConflicts.install();
    try {
      awaitApiServer();
      progress.awaitCertificate(FOR_THE_CERTIFICATE);
      election.watch(configuration, client, leadership, availability);
      controllers.start();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException problem) {
      if (!leadership.hasEnded()) {
        LOG.fatalf(
            problem,
            "the work on jobs could not be started; this process ends, to be started again: %s",
            problem.getMessage());
        Quarkus.asyncExit(NOT_STARTED);
      }
      return;
    }
    if (!LeaderElection.isEnabled(configuration)) {
      leadership.begin(LeaderElection.gapWithoutElection());
    }
  }

  /**
   * One that is away at the start is waited for: the framework would give up, and the webhooks
   * would go with the process.
   */
  private void awaitApiServer() throws InterruptedException {
    boolean told = false;
    while (!leadership.hasEnded()) {
      try {
        client.raw("/version");
        return;
      } catch (KubernetesClientException away) {
        boolean answers =
            away.getCode() > 0 && away.getCode() < HttpURLConnection.HTTP_INTERNAL_ERROR;
        if (answers) {
          return;
        }
        if (!told) {
          LOG.warnf("the API server does not answer, it is waited for: %s", away.getMessage());
          told = true;
        }
      }
      Thread.sleep(BETWEEN_TRIES.toMillis());
    }
  }

  void end(@Observes @Priority(FIRST) ShutdownDelayInitiatedEvent stopping) {
    stop();
  }

  void ended(@Observes @Priority(FIRST) ShutdownEvent stopped) {
    stop();
  }

  private void stop() {
    if (leadership.hasEnded()) {
      return;
    }
    try {
      // The Lease is given back last, when nothing is in flight any more. What looks still ask for
      // is left to the next operator.
      writes.beginNoMore();
      if (!leadership.end(PATIENCE)) {
        LOG.warn("jobs are still being looked at; the operator ends in the middle of it");
      }
      writes.close();
      controllers.stop();
      election.giveBack(configuration, client);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException problem) {
      LOG.warnf(problem, "the work on jobs did not end in order: %s", problem.getMessage());
    }
  }
}
