package dev.tensorstack.training.kubectl.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import java.time.Duration;
import org.awaitility.Awaitility;

/** Plays the operator for jobs of one namespace: makes their pods and says what is to be said. */
final class Stage {

  private final ControlPlane controlPlane;
  private final String namespace;

  Stage(ControlPlane controlPlane, String namespace) {
    this.controlPlane = controlPlane;
    this.namespace = namespace;
  }

  /** Runs kubectl in the namespace and insists that it succeeds. */
  String kubectl(String input, String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = namespace;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    KubectlResult result = controlPlane.kubectlWithInput(input, all);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout();
  }

  /** Creates a PyTorchTrainingJob of two workers. */
  void job(String name, String moreOfSpec) {
    String unused =
        kubectl(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: %s}
            spec:
              replicaSpecs:
              - type: worker
                replicas: 2
                restartPolicy: OnFailure
                template:
                  spec:
                    containers: [{name: python, image: registry.example/train:1, args: [train.py]}]
            %s
            """
                .formatted(name, moreOfSpec.indent(2)),
            "create",
            "-f",
            "-");
  }

  /** Writes the status of a PyTorchTrainingJob, JSON with single quotes. */
  void status(String name, String status) {
    String unused =
        kubectl(
            "",
            "patch",
            "pj",
            name,
            "--subresource=status",
            "--type=merge",
            "-p",
            ("{'status':" + status + "}").replace('\'', '"'));
  }

  /** Creates a pod of a PyTorchTrainingJob that runs a shell script, and does not wait for it. */
  void pod(String job, String name, int index, int attempt, String requests, String script) {
    String uid = kubectl("", "get", "pj", job, "-o", "jsonpath={.metadata.uid}");
    String unused =
        kubectl(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: %s
              labels:
                tensorstack.dev/owner-name: %s
                replica-type: worker
                replica-index: "%d"
                batch.tensorstack.dev/attempt: "%d"
              ownerReferences:
              - {apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, name: %s, uid: %s}
            spec:
              restartPolicy: Never
              terminationGracePeriodSeconds: 1
              containers:
              - name: python
                image: registry.example/train:1
                command: [sh, -c, '%s']
                resources: {limits: {%s}}
            """
                .formatted(name, job, index, attempt, job, uid, script, requests),
            "create",
            "-f",
            "-");
  }

  /** Waits until a jsonpath of an object has a value. */
  void await(String object, String path, String value) {
    Awaitility.await(object + " " + path)
        .atMost(Duration.ofMinutes(1))
        .until(() -> kubectl("", "get", object, "-o", "jsonpath=" + path).equals(value));
  }
}
