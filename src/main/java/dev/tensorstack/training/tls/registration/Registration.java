package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** How the API server gets to know the webhooks. Not for use by several threads. */
public interface Registration {

  /**
   * What is registered.
   *
   * @param configurations by kind; one that does not exist, or is of no concern, is missing
   */
  record State(Map<WebhookKind, WebhookConfiguration> configurations) {

    /** The bundle of each webhook that is registered. */
    List<TrustBundle> bundles() {
      return configurations.values().stream().flatMap(one -> one.bundles().stream()).toList();
    }
  }

  /**
   * What was done.
   *
   * @param changed whether something was written, so that API servers have yet to see it
   * @param problems why the webhooks are not registered as they should be; empty when they are
   */
  record Outcome(boolean changed, List<String> problems) {

    /** The same with further problems. */
    Outcome with(List<String> further) {
      return further.isEmpty()
          ? this
          : new Outcome(changed, Stream.concat(problems.stream(), further.stream()).toList());
    }
  }

  /**
   * Looks at what is registered.
   *
   * @param withTrust whether the operator says whom the API server has to trust
   * @return what is registered now
   */
  State read(boolean withTrust);

  /**
   * Makes it what it should be.
   *
   * @param state what was read
   * @param required whom the API server has to trust; empty when that is not the operator's to say
   * @param accepts whether a registered bundle can stay
   * @return what was done
   */
  Outcome write(State state, TrustBundle required, Predicate<TrustBundle> accepts);

  /** Takes back, at a clean stop, what this operator has registered. */
  void remove();
}
