package dev.tensorstack.training.tls.certificate;

/**
 * Where the webhooks' certificate comes from: the setting {@code operator.webhooks.certificates}.
 */
public enum CertificateOrigin {
  /** The operator makes it, and its authority. */
  SELF_SIGNED,
  /** Somebody else puts it into files. */
  PROVIDED
}
