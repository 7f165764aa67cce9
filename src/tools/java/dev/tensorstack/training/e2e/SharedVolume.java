package dev.tensorstack.training.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.Optional;

/** The claim {@code data}: a volume that pods on all nodes see, for checkpoints. */
final class SharedVolume {

  private SharedVolume() {}

  /**
   * Makes the claim; the test is skipped when the cluster's means for it were not named.
   *
   * @param scene where the claim is made
   */
  static void claim(Scene scene) {
    Optional<String> path = Settings.sharedPath();
    Optional<String> storageClass = Settings.storageClass();
    if (path.isPresent()) {
      Program.kubectlWith(
              """
              apiVersion: v1
              kind: PersistentVolume
              metadata:
                name: %s
              spec:
                capacity: {storage: 1Gi}
                accessModes: [ReadWriteMany]
                storageClassName: ""
                hostPath: {path: %s, type: Directory}
                claimRef: {namespace: %s, name: data}
              """
                  .formatted(name(scene.namespace()), path.get(), scene.namespace()),
              "apply",
              "-f",
              "-")
          .orThrow();
    } else if (storageClass.isEmpty()) {
      abort(
          "neither -De2e.shared.path nor -De2e.storage.class is given: a directory that is the same"
              + " one on all nodes, or a storage class for ReadWriteMany");
    }
    scene.apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata:
          name: data
        spec:
          accessModes: [ReadWriteMany]
          storageClassName: "%s"
          resources: {requests: {storage: 1Gi}}
        """
            .formatted(storageClass.orElse("")));
  }

  /**
   * Deletes the volume of a namespace's claim, if it was made here; the files in it stay.
   *
   * @param namespace where the claim was made
   */
  static void delete(String namespace) {
    Program.kubectl(
        "delete", "persistentvolume", name(namespace), "--wait=false", "--ignore-not-found");
  }

  private static String name(String namespace) {
    return namespace + "-data";
  }
}
