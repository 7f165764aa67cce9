package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.tls.certificate.TrustBundle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Outside of a cluster: the operator registers its webhooks itself, at a URL, and takes them back
 * at a clean stop. All such operators of a cluster use the same configurations, so that one that
 * was killed does not block the jobs of the others: one that answers is left alone, one that does
 * not is replaced.
 */
public final class UrlRegistration implements Registration {

  private static final Logger LOG = Logger.getLogger(UrlRegistration.class);

  private final WebhookConfigurations configurations;
  private final String url;
  private final Set<String> resources;
  private final EndpointProbe others;
  private final Set<String> elsewhere = new HashSet<>();

  /**
   * A registration.
   *
   * @param client may get, create, update and delete the configurations
   * @param name the name of both
   * @param url where the API server reaches this operator, without a slash at the end
   * @param resources the plurals of the kinds whose webhooks are served
   */
  public UrlRegistration(KubernetesClient client, String name, String url, Set<String> resources) {
    this(client, name, url, resources, new EndpointProbe());
  }

  UrlRegistration(
      KubernetesClient client,
      String name,
      String url,
      Set<String> resources,
      EndpointProbe others) {
    this.configurations = new WebhookConfigurations(client, name);
    this.url = url;
    this.resources = Set.copyOf(resources);
    this.others = others;
  }

  @Override
  public State read(boolean withTrust) {
    Map<WebhookKind, WebhookConfiguration> present = new EnumMap<>(WebhookKind.class);
    for (WebhookKind kind : WebhookKind.values()) {
      configurations.get(kind).ifPresent(found -> present.put(kind, found));
    }
    return new State(present);
  }

  @Override
  public Outcome write(State state, TrustBundle required, Predicate<TrustBundle> accepts) {
    boolean changed = false;
    for (WebhookKind kind : WebhookKind.values()) {
      WebhookConfiguration present = state.configurations().get(kind);
      WebhookConfiguration wanted =
          configurations.manifest(kind).only(resources).at(url, configurations.name(), required);
      if (present == null) {
        configurations.create(kind, wanted);
        LOG.infof("%s is created for %s", configurations.describe(kind), url);
        changed = true;
      } else if (!isAnswered(kind, present)
          && !(wanted.isSaidBy(present) && present.bundles().stream().allMatch(accepts))) {
        configurations.update(kind, wanted.over(present));
        LOG.infof(
            "%s is changed for %s, CA certificates: %d",
            configurations.describe(kind), url, required.certificates().size());
        changed = true;
      }
    }
    return new Outcome(changed, List.of());
  }

  /** Whether another operator serves what is registered. */
  private boolean isAnswered(WebhookKind kind, WebhookConfiguration present) {
    List<String> foreign = new ArrayList<>(present.urls());
    foreign.removeIf(one -> isBelow(kind, one));
    if (foreign.isEmpty() || foreign.size() != present.urls().size()) {
      elsewhere.remove(configurations.describe(kind));
      return false;
    }
    boolean answers = others.answers(URI.create(foreign.get(0)), present.bundles().get(0));
    if (answers && elsewhere.add(configurations.describe(kind))) {
      LOG.infof(
          "%s is another operator's, at %s; it is left alone as long as that one answers",
          configurations.describe(kind), foreign.get(0));
    } else if (!answers) {
      elsewhere.remove(configurations.describe(kind));
      LOG.infof("%s does not answer any more", foreign.get(0));
    }
    return answers;
  }

  private boolean isBelow(WebhookKind kind, String webhook) {
    return webhook.equals(url + kind.path()) || webhook.startsWith(url + kind.path() + "/");
  }

  @Override
  public void remove() {
    for (WebhookKind kind : WebhookKind.values()) {
      if (configurations
          .get(kind)
          .filter(present -> present.urls().stream().anyMatch(one -> isBelow(kind, one)))
          .isPresent()) {
        configurations.delete(kind);
        LOG.infof("%s is removed", configurations.describe(kind));
      }
    }
  }
}
