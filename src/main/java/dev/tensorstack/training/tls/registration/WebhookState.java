package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.ServedCertificate;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** Whether the webhooks can be called. Written by one thread, read by many. */
@Singleton
public class WebhookState {

  private static final String NOT_YET = "the webhooks are not registered yet";

  private final ServedCertificate served;
  private final Clock clock;
  private volatile boolean listening;
  private volatile boolean registered;
  private volatile List<String> problems = List.of(NOT_YET);

  /**
   * Nothing can be called yet.
   *
   * @param served the server's certificate
   * @param clock the time
   */
  public WebhookState(ServedCertificate served, Clock clock) {
    this.served = served;
    this.clock = clock;
  }

  /** The HTTPS server listens. */
  void listening() {
    listening = true;
  }

  /** A look has shown how things are. */
  void looked(Registration.Outcome outcome) {
    problems = outcome.problems();
    // What was just written is looked at once more before it counts, unless it replaces what did.
    registered = problems.isEmpty() && (registered || !outcome.changed());
  }

  /** A look was not possible; what was true before is not doubted. */
  void couldNotLook(String problem) {
    if (!registered) {
      problems = List.of(problem);
    }
  }

  /** The operator ends. */
  void stopping() {
    registered = false;
    problems = List.of("the operator ends");
  }

  /**
   * What is missing.
   *
   * @return sentences; empty when the webhooks can be called
   */
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    if (!listening) {
      missing.add("the HTTPS server does not listen yet");
    }
    if (served.isTemporary()) {
      missing.add("there is no certificate yet");
    } else if (served.material().serving().isExpired(clock.instant())) {
      missing.add("the certificate has expired");
    }
    if (!registered) {
      missing.addAll(problems.isEmpty() ? List.of(NOT_YET) : problems);
    }
    return missing;
  }
}
