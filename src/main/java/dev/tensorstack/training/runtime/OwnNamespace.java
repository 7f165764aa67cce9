package dev.tensorstack.training.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the namespace that the operator runs in. */
final class OwnNamespace {

  private static final Path SERVICE_ACCOUNT =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount/namespace");

  private OwnNamespace() {}

  /** The set one, else the pod's; empty outside of a cluster. */
  static Optional<String> find(Optional<String> set) {
    return find(set, SERVICE_ACCOUNT);
  }

  static Optional<String> find(Optional<String> set, Path serviceAccount) {
    if (set.isPresent() || !Files.exists(serviceAccount)) {
      return set;
    }
    try {
      return Optional.of(Files.readString(serviceAccount).trim());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(
          serviceAccount + " cannot be read; set OPERATOR_NAMESPACE instead", unreadable);
    }
  }
}
