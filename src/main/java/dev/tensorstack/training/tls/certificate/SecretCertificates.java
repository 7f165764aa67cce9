package dev.tensorstack.training.tls.certificate;

import dev.tensorstack.training.core.naming.Labels;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Certificates of the operator's own making in a Secret, from which all its replicas serve. Every
 * replica may renew them: a write succeeds only on what was read, and whoever is late takes what
 * the other one wrote.
 */
public final class SecretCertificates implements CertificateSource {

  private static final Logger LOG = Logger.getLogger(SecretCertificates.class);

  /** Each of a renewal's steps is a write, and each may meet another replica's. */
  private static final int WRITES = 10;

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final RenewalPolicy policy;
  private final Clock clock;

  /**
   * The certificates of a Secret.
   *
   * @param client may get, create and update it
   * @param namespace its namespace
   * @param name its name
   * @param names what the server is called
   * @param validity how long certificates live
   * @param clock the time
   */
  public SecretCertificates(
      KubernetesClient client,
      String namespace,
      String name,
      SubjectNames names,
      Validity validity,
      Clock clock) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
    this.policy = new RenewalPolicy(validity, names);
    this.clock = clock;
  }

  @Override
  public CertificateMaterial read(Predicate<X509Certificate> trusted)
      throws BadCertificateException {
    for (int write = 0; write < WRITES; write++) {
      Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
      Optional<CertificateMaterial> good = secret == null ? create() : readOrRenew(secret, trusted);
      if (good.isPresent()) {
        return good.get();
      }
    }
    throw new BadCertificateException(
        "Secret "
            + namespace
            + "/"
            + name
            + " was changed by others at each of "
            + WRITES
            + " tries to renew it");
  }

  /** What stands in the Secret; empty after a write, to be read again. */
  private Optional<CertificateMaterial> readOrRenew(
      Secret secret, Predicate<X509Certificate> trusted) {
    SelfSigned present;
    try {
      present = SelfSigned.ofData(secret.getData());
    } catch (BadCertificateException damaged) {
      LOG.warnf(
          "Secret %s/%s is replaced: it does not hold certificates of the operator: %s",
          namespace, name, damaged.getMessage());
      update(secret, policy.fresh(clock.instant()));
      return Optional.empty();
    }
    Optional<RenewalPolicy.Renewal> renewal = policy.next(present, trusted, clock.instant());
    if (renewal.isEmpty()) {
      return Optional.of(present.material());
    }
    SelfSigned next = renewal.get().certificates();
    if (update(secret, next)) {
      LOG.infof(
          "Secret %s/%s is renewed: %s; %s, CA certificates: %d",
          namespace,
          name,
          renewal.get().reason(),
          next.serving(),
          next.trust().certificates().size());
    }
    return Optional.empty();
  }

  private Optional<CertificateMaterial> create() {
    SelfSigned first = policy.fresh(clock.instant());
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .addToLabels(Labels.MANAGED_BY, Labels.OPERATOR)
            .endMetadata()
            .withType("kubernetes.io/tls")
            .withData(first.toData())
            .build();
    try {
      client.resource(secret).create();
      LOG.infof("Secret %s/%s is created: %s", namespace, name, first.serving());
      return Optional.of(first.material());
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return Optional.empty();
      }
      throw refusal;
    }
  }

  /** Whether it was still as it was read, and thus is changed. The type cannot be. */
  private boolean update(Secret read, SelfSigned certificates) {
    Secret changed =
        new SecretBuilder(read)
            .editMetadata()
            .addToLabels(Labels.MANAGED_BY, Labels.OPERATOR)
            .endMetadata()
            .withData(certificates.toData())
            .build();
    try {
      client.resource(changed).update();
      return true;
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_CONFLICT
          || refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return false;
      }
      throw refusal;
    }
  }

  @Override
  public boolean knowsAuthorities() {
    return true;
  }
}
