package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The operator, jar or binary, writes what a JVM writes: no field of a type is lost because a
 * native binary does not know it, and none is in another order. The published manifests are
 * compared in the same way by {@link ManifestsIT}.
 */
@OperatorTest(value = "written", proxy = true, nodes = 0, operator = false)
class WrittenJsonIT {

  private static final int LEAST_TYPES = 80;

  private static final List<String> POD_GROUPS =
      List.of("scheduling.volcano.sh", "scheduling.x-k8s.io");

  private final ControlPlane controlPlane;
  private final Jobs jobs;
  private final ApiProxy proxy;
  private final OperatorProcess operator;

  WrittenJsonIT(ControlPlane controlPlane, Jobs jobs, ApiProxy proxy) {
    this.controlPlane = controlPlane;
    this.jobs = jobs;
    this.proxy = proxy.keepBodies();
    POD_GROUPS.forEach(
        group ->
            controlPlane
                .kubectlWithInput(PodGroupSchemas.manifest(group), "apply", "-f", "-")
                .orThrow());
    operator =
        OperatorProcess.start(
            proxy.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", jobs.namespace()));
  }

  @AfterAll
  void stop() {
    operator.close();
    POD_GROUPS.forEach(
        group ->
            controlPlane
                .kubectlWithInput(PodGroupSchemas.manifest(group), "delete", "-f", "-")
                .orThrow());
  }

  private void awaitWrite(String resource, String text) {
    await(resource + " with " + text)
        .until(() -> proxy.writes(), writes -> writes.stream().anyMatch(is(resource, text)));
  }

  private static Predicate<ApiRequest> is(String resource, String text) {
    return write -> write.resource().equals(resource) && write.body().contains(text);
  }

  @Test
  void everyFieldOfATemplateIsInThePod() {
    FilledTemplate filled = new FilledTemplate();
    String template = filled.template().toString();
    assertThat(filled.types()).hasSizeGreaterThan(LEAST_TYPES);
    PyTorchTrainingJob job =
        jobs.create(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: filled}
            spec: {replicaSpecs: [{type: worker, replicas: 1, template: %s}]}
            """
                .formatted(template));
    awaitWrite("pods", job.getMetadata().getUid());
    // The Service and the pod.
    assertThat(new WrittenJson(proxy).assertAsHere(job)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void whatIsAppliedBesideThePodsIsTheSameToo() {
    PyTorchTrainingJob volcano =
        jobs.create(
            elastic("volcano", "volcano: {queue: gpus, priorityClassName: high}", "[1, 0, null]"));
    PyTorchTrainingJob coscheduling =
        jobs.create(elastic("coscheduling", "coscheduling: {scheduleTimeoutSeconds: 9}", "[1]"));
    for (PyTorchTrainingJob job : List.of(volcano, coscheduling)) {
      String uid = job.getMetadata().getUid();
      for (String kind :
          List.of("podgroups", "horizontalpodautoscalers", "deployments", "services", "pods")) {
        awaitWrite(kind, uid);
      }
      awaitWrite("events", uid);
      awaitWrite("pytorchtrainingjobs/status", uid);
      assertThat(new WrittenJson(proxy).assertAsHere(job)).isGreaterThanOrEqualTo(8);
    }
  }

  private static String elastic(String name, String scheduler, String anything) {
    return """
    apiVersion: batch.tensorstack.dev/v1beta1
    kind: PyTorchTrainingJob
    metadata: {name: %s}
    spec:
      torchrunConfig: {enabled: true, procPerNode: 2, extraOptions: [--tee=3]}
      scheduler: {%s}
      elastic:
        enabled: true
        minReplicas: 1
        maxReplicas: 4
        metrics:
        - type: Resource
          resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}
        - type: Pods
          pods:
            metric: {name: queue, selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}
            target: {type: AverageValue, averageValue: "1.5"}
      tensorboardSpec:
        logDir:
          pvc: [{name: logs, subPath: [a, b]}]
          s3: {secretRef: {name: store}, uri: ["s3://bucket/x"]}
        resources: {limits: {cpu: "1", memory: 512Mi}, requests: {cpu: 100m}}
      runPolicy: {backoffLimit: 5, activeDeadlineSeconds: 10000, retryableExitCodes: [3, 137]}
      replicaSpecs:
      - type: master
        scalingWeight: 0
        restartPolicy: ExitCode
        template: &pod
          metadata: {annotations: {note: "\\u00e9\\u4e2d\\u6587"}}
          spec:
            fieldOfTomorrow: {list: %s, "null": null, number: 1.50, big: 12345678901234567890}
            volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]
            containers:
            - name: python
              image: i:1
              args: [train.py, "--name=\\u4e2d\\u6587", "quote \\" and \\\\ and <&>"]
              resources: {limits: {cpu: "1", memory: 1.5Gi, nvidia.com/gpu: 2}, requests: {cpu: 500m}}
              livenessProbe: {httpGet: {path: /, port: http}, periodSeconds: 3}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
              env:
              - {name: PLAIN, value: ""}
              - {name: FROM, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
      - type: worker
        replicas: 2
        restartPolicy: OnFailure
        template: *pod
    """
        .formatted(name, scheduler, anything);
  }
}
