package dev.tensorstack.training.runtime;

import java.util.Optional;

/**
 * The pod in which the operator runs.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 */
record OwnPod(String namespace, String name, String uid) {

  /**
   * As the settings name it.
   *
   * @param settings properties and environment variables
   * @return empty outside of a cluster, or where the settings do not name it
   */
  static Optional<OwnPod> find(OperatorConfiguration settings) {
    return OwnNamespace.find(settings.namespace())
        .flatMap(
            namespace ->
                settings
                    .ownPod()
                    .name()
                    .flatMap(
                        name ->
                            settings.ownPod().uid().map(uid -> new OwnPod(namespace, name, uid))));
  }
}
