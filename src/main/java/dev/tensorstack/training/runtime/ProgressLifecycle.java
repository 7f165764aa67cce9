package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.ReportAvailability;
import dev.tensorstack.training.progress.MissedReports;
import dev.tensorstack.training.progress.ProgressReports;
import dev.tensorstack.training.progress.ReportReceivers;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.time.Clock;

/** Listens to trainings from the start of the application to its end. */
@Singleton
public class ProgressLifecycle {

  private final ProgressReports reports;
  private final Instance<ReportReceivers> receivers;

  /**
   * A lifecycle.
   *
   * @param reports listens
   * @param receivers take the reports; made when it is asked for
   */
  public ProgressLifecycle(ProgressReports reports, Instance<ReportReceivers> receivers) {
    this.reports = reports;
    this.receivers = receivers;
  }

  void begin(
      @Observes StartupEvent started,
      Vertx vertx,
      KubernetesClient client,
      Clock clock,
      MeterRegistry registry,
      ReportAvailability availability) {
    reports.start(
        vertx,
        client,
        clock,
        registry,
        receivers::get,
        new MissedReports() {
          @Override
          public void ofAnybody() {
            availability.missed();
          }

          @Override
          public void from(String address) {
            availability.missed(address);
          }
        });
  }

  void end(@Observes ShutdownEvent stopped) {
    reports.stop();
  }
}
