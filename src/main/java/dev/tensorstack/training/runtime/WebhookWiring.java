package dev.tensorstack.training.runtime;

import dev.tensorstack.training.tls.certificate.CertificateOrigin;
import dev.tensorstack.training.tls.certificate.CertificateSource;
import dev.tensorstack.training.tls.certificate.ClientAuthorities;
import dev.tensorstack.training.tls.certificate.FileCertificates;
import dev.tensorstack.training.tls.certificate.MemoryCertificates;
import dev.tensorstack.training.tls.certificate.SecretCertificates;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import dev.tensorstack.training.tls.certificate.SubjectNames;
import dev.tensorstack.training.tls.certificate.Validity;
import dev.tensorstack.training.tls.registration.ClusterRegistration;
import dev.tensorstack.training.tls.registration.NoRegistration;
import dev.tensorstack.training.tls.registration.Registration;
import dev.tensorstack.training.tls.registration.UrlRegistration;
import dev.tensorstack.training.tls.registration.WebhookTiming;
import dev.tensorstack.training.webhook.AdmittedKinds;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.quarkus.tls.runtime.KeyStoreProvider;
import io.smallrye.common.annotation.Identifier;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Decides, from the settings and the surroundings, how the webhooks get their certificate. */
public class WebhookWiring {

  /**
   * Where the certificate comes from.
   *
   * @param configuration properties and environment variables
   * @param client the cluster
   * @param clock the time
   * @return files, or certificates of the operator's own: in a Secret, or in memory when no API
   *     server calls the webhooks
   * @throws IllegalArgumentException when a setting is wrong
   */
  @Produces
  @Singleton
  public CertificateSource certificates(
      OperatorConfiguration configuration, KubernetesClient client, Clock clock) {
    OperatorConfiguration.Webhooks settings = configuration.webhooks();
    if (settings.certificates() == CertificateOrigin.PROVIDED) {
      return new FileCertificates(settings.certificateDir());
    }
    Validity validity = new Validity(settings.certificateValidity(), settings.caValidity());
    Optional<URI> url = settings.url().map(WebhookWiring::checked);
    Optional<String> namespace = OwnNamespace.find(configuration.namespace());
    if (url.isEmpty() && namespace.isEmpty()) {
      return new MemoryCertificates(SubjectNames.ofThisMachine(), validity, clock);
    }
    return new SecretCertificates(
        client,
        namespace.orElseGet(() -> Objects.requireNonNullElse(client.getNamespace(), "default")),
        settings.secret(),
        names(services(configuration), namespace, url),
        validity,
        clock);
  }

  /** The Services behind which the certificate is served. */
  private static List<String> services(OperatorConfiguration configuration) {
    String webhooks = configuration.webhooks().service();
    OperatorConfiguration.Metrics metrics = configuration.metrics();
    return metrics.secure() ? List.of(webhooks, metrics.service()) : List.of(webhooks);
  }

  /**
   * What clients call this operator.
   *
   * @param services the names of its Services
   * @param namespace that of the Services; empty outside of a cluster, where there are none
   * @param url where the API server reaches the webhooks; empty: by the Service
   * @return the names for which a certificate is needed
   */
  static SubjectNames names(List<String> services, Optional<String> namespace, Optional<URI> url) {
    SubjectNames names = new SubjectNames(Set.of(), Set.of());
    if (namespace.isPresent()) {
      for (String service : services) {
        names = names.plus(SubjectNames.ofService(service, namespace.get()));
      }
    }
    return url.isPresent() ? names.plus(SubjectNames.ofUrl(url.get())) : names;
  }

  /**
   * How the API server gets to know the webhooks.
   *
   * @param configuration properties and environment variables
   * @param client the cluster
   * @param kinds the kinds whose webhooks are served
   * @return by URL when there is one, by the manifests in a cluster, else not at all
   * @throws IllegalArgumentException when a setting is wrong
   */
  @Produces
  @Singleton
  public Registration registration(
      OperatorConfiguration configuration, KubernetesClient client, AdmittedKinds kinds) {
    OperatorConfiguration.Webhooks settings = configuration.webhooks();
    Optional<URI> url = settings.url().map(WebhookWiring::checked);
    if (url.isPresent()) {
      return new UrlRegistration(
          client,
          settings.configuration() + "-url",
          url.get().toString(),
          kinds.byPath().values().stream()
              .map(kind -> kind.kind().plural())
              .collect(Collectors.toUnmodifiableSet()));
    }
    return OwnNamespace.find(configuration.namespace()).isPresent()
        ? new ClusterRegistration(client, settings.configuration())
        : new NoRegistration();
  }

  /**
   * When the webhooks are looked at.
   *
   * @param configuration properties and environment variables
   * @return the intervals
   */
  @Produces
  @Singleton
  public WebhookTiming timing(OperatorConfiguration configuration) {
    return new WebhookTiming(
        configuration.webhooks().checkInterval(), configuration.webhooks().trustDelay());
  }

  /**
   * Who may call the webhooks.
   *
   * @param configuration properties and environment variables
   * @return those with a certificate of certain authorities, or everybody
   * @throws IllegalArgumentException when names are set and no authorities
   */
  @Produces
  @Singleton
  public ClientAuthorities clients(OperatorConfiguration configuration) {
    OperatorConfiguration.Webhooks settings = configuration.webhooks();
    List<String> names = settings.clientNames().orElse(List.of());
    if (settings.clientCa().isEmpty() && !names.isEmpty()) {
      throw new IllegalArgumentException(
          "operator.webhooks.client-names is set, but without operator.webhooks.client-ca no"
              + " certificate is asked for: set both, or none");
    }
    return new ClientAuthorities(settings.clientCa(), names);
  }

  /**
   * The key store of the HTTPS server, under the name of its TLS configuration.
   *
   * @param served what is served
   * @return the same
   */
  @Produces
  @Singleton
  @Identifier(ServedCertificate.TLS_CONFIGURATION)
  public KeyStoreProvider keys(ServedCertificate served) {
    return served;
  }

  /** The URL without a slash at its end. */
  static URI checked(String setting) {
    return checked(setting, "operator.webhooks.url", "the API server reaches");
  }

  /**
   * The URL without a slash at its end.
   *
   * @param name the setting's name
   * @param who who reaches this operator there, as part of a sentence
   */
  static URI checked(String setting, String name, String who) {
    try {
      URI url =
          new URI(setting.endsWith("/") ? setting.substring(0, setting.length() - 1) : setting);
      if ("https".equals(url.getScheme())
          && url.getHost() != null
          && url.getUserInfo() == null
          && url.getQuery() == null
          && url.getFragment() == null) {
        return url;
      }
    } catch (URISyntaxException noUrl) {
      throw new IllegalArgumentException(wrong(setting, name, who), noUrl);
    }
    throw new IllegalArgumentException(wrong(setting, name, who));
  }

  private static String wrong(String setting, String name, String who) {
    return name
        + " is '"
        + setting
        + "'; it has to be where "
        + who
        + " this operator, https://host:port";
  }
}
