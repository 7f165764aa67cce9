package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.LimitRangeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A job that does not run says why, on itself. */
@OperatorTest({"pending", "strict"})
class PendingReasonIT {

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final String strict;
  private final Jobs jobs;
  private final FakeKubelet kubelet;

  PendingReasonIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs[] jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs[0];
    this.kubelet = kubelet;
    this.namespace = jobs[0].namespace();
    this.strict = jobs[1].namespace();
  }

  private PyTorchTrainingJob awaitReason(String name, String reason) {
    return jobs.await(
        name,
        "reason " + reason,
        status -> status.columns() != null && reason.equals(status.columns().reason()));
  }

  /**
   * Waits until the condition Running has a reason and a message with all of these words. A message
   * is written with its reason, and what changes in it afterwards comes some seconds later.
   */
  private PyTorchTrainingJob awaitWords(String name, String reason, String... words) {
    return jobs.await(
        name,
        reason + ": " + List.of(words),
        status ->
            status.conditions() != null
                && reason.equals(running(status).reason())
                && Stream.of(words)
                    .allMatch(word -> String.valueOf(running(status).message()).contains(word)));
  }

  private static JobCondition running(PyTorchTrainingJob job) {
    return running(job.getStatus());
  }

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  private Event awaitWarning(String job, String reason) {
    return await(reason + " of " + job)
        .until(
            () ->
                jobs.events(job).stream()
                    .filter(event -> reason.equals(event.getReason()))
                    .findFirst()
                    .orElse(null),
            event -> event != null && "Warning".equals(event.getType()));
  }

  @Test
  void anUnschedulableJobRepeatsTheSchedulersWords() {
    jobs.create(
        Jobs.simple("no-node", 2, "Never")
            .replace("containers:", "nodeSelector: {nobody: has-this}\n        containers:"));
    // The scheduler may look at either replica first; in the end the message names both.
    PyTorchTrainingJob job =
        awaitWords(
            "no-node",
            "Unschedulable",
            "worker-0",
            "worker-1",
            "nodes are available",
            "didn't match Pod's node affinity");
    assertThat(job.getStatus().phase()).isEqualTo("Pending");
    assertThat(running(job).status()).isEqualTo("False");
  }

  @Test
  void anImageThatCannotBePulledIsNamedWithItsContainer() {
    kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("no-image-"), Behaviour.imagePullBackOff());
    jobs.create(Jobs.simple("no-image", 1, "Never"));
    PyTorchTrainingJob job = awaitReason("no-image", "ImagePullFailed");
    assertThat(job.getStatus().phase()).isEqualTo("Pending");
    assertThat(running(job).message())
        .contains("worker-0", "pytorch", "Back-off pulling image \"registry.example/train:1\"");
  }

  @Test
  void aUsedUpQuotaIsSaidInItsWordsAndTheJobGoesOnOnceItIsRaised() {
    String small = controlPlane.createNamespace("quota");
    try (OperatorProcess second =
        OperatorProcess.start(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", small))) {
      client
          .resource(
              new ResourceQuotaBuilder()
                  .withNewMetadata()
                  .withNamespace(small)
                  .withName("few-pods")
                  .endMetadata()
                  .withNewSpec()
                  .withHard(Map.of("pods", new Quantity("2")))
                  .endSpec()
                  .build())
          .create();
      await("the quota is counted")
          .until(
              () ->
                  client.resourceQuotas().inNamespace(small).withName("few-pods").get().getStatus(),
              status -> status != null && status.getHard() != null && !status.getHard().isEmpty());
      Jobs there = new Jobs(client, small);
      there.create(Jobs.simple("greedy", 4, "Never"));
      PyTorchTrainingJob job =
          there.await(
              "greedy",
              "reason QuotaExceeded with two pods running",
              status ->
                  status.columns() != null
                      && "QuotaExceeded".equals(status.columns().reason())
                      && status.aggregate().running() == 2);
      assertThat(job.getStatus().phase()).isEqualTo("Pending");
      assertThat(running(job).message()).contains("exceeded quota: few-pods", "limited: pods=2");
      assertThat(
              await("CreateFailed")
                  .until(
                      () -> there.events("greedy"),
                      events ->
                          events.stream().anyMatch(e -> e.getReason().equals("CreateFailed"))))
          .filteredOn(event -> event.getReason().equals("CreateFailed"))
          .allSatisfy(
              event -> {
                assertThat(event.getType()).isEqualTo("Warning");
                assertThat(event.getMessage()).contains("exceeded quota: few-pods");
              });

      client
          .resourceQuotas()
          .inNamespace(small)
          .withName("few-pods")
          .edit(
              quota -> {
                quota.getSpec().setHard(Map.of("pods", new Quantity("10")));
                return quota;
              });
      there.awaitPhase("greedy", "Running");
      assertThat(second.isAlive()).isTrue();
    }
  }

  @Test
  void aForeignPodOfTheJobsPodNameIsReportedNeverTouchedAndWaitedFor() {
    // Paused first: the pod's name follows from the job's uid, which only its creation tells.
    String manifest =
        Jobs.simple("taken", 2, "Never")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  runMode: {pause: {enabled: true}}\n  replicaSpecs");
    jobs.create(manifest);
    jobs.awaitPhase("taken", "Paused");
    String name = jobs.base("taken") + "-worker-1";
    Pod foreign =
        client
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withNamespace(namespace)
                    .withName(name)
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("a")
                    .withImage("i:1")
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    controlPlane
        .kubectl(
            "patch",
            "pj",
            "taken",
            "-n",
            namespace,
            "--type=merge",
            "-p",
            "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}")
        .orThrow();

    PyTorchTrainingJob job =
        jobs.await(
            "taken",
            "a condition that names the pod",
            status ->
                Objects.requireNonNull(status.conditions()).stream()
                    .anyMatch(
                        condition ->
                            condition.message() != null
                                && condition.message().contains(name)
                                && condition.message().contains("delete it")));
    assertThat(job.getStatus().phase()).isNotIn("Failed", "Succeeded", "Running");
    assertThat(running(awaitReason("taken", "PodRejected")).message()).contains(name);
    assertThat(awaitWarning("taken", "CreateFailed").getMessage()).contains(name, "delete it");

    jobs.create(Jobs.simple("beside-taken", 1, "Never"));
    jobs.awaitPhase("beside-taken", "Running");
    Pod still = client.pods().inNamespace(namespace).withName(name).get();
    assertThat(still.getMetadata().getUid()).isEqualTo(foreign.getMetadata().getUid());
    assertThat(still.getMetadata().getDeletionTimestamp()).isNull();
    assertThat(still.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(still.getMetadata().getLabels()).isNullOrEmpty();

    client.pods().inNamespace(namespace).withName(name).delete();
    jobs.awaitPhase("taken", "Running");
    assertThat(client.pods().inNamespace(namespace).withName(name).get().getMetadata().getUid())
        .isNotEqualTo(foreign.getMetadata().getUid());
  }

  @Test
  void aForeignServiceOfTheJobsNameIsReportedNeverTouchedAndWaitedFor() {
    String manifest =
        Jobs.simple("dns-taken", 2, "Never")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  runMode: {pause: {enabled: true}}\n  replicaSpecs");
    jobs.create(manifest);
    jobs.awaitPhase("dns-taken", "Paused");
    String name = jobs.base("dns-taken");
    Service foreign =
        client
            .resource(
                new ServiceBuilder()
                    .withNewMetadata()
                    .withNamespace(namespace)
                    .withName(name)
                    .endMetadata()
                    .withNewSpec()
                    .addNewPort()
                    .withPort(80)
                    .endPort()
                    .endSpec()
                    .build())
            .create();
    jobs.patch("dns-taken", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");

    PyTorchTrainingJob job = awaitWords("dns-taken", "PodRejected", "Service " + name, "delete it");
    assertThat(job.getStatus().columns().reason()).isEqualTo("PodRejected");
    assertThat(awaitWarning("dns-taken", "CreateFailed").getMessage())
        .contains("Service " + name, "delete it");
    Service still = client.services().inNamespace(namespace).withName(name).get();
    assertThat(still.getMetadata().getResourceVersion())
        .isEqualTo(foreign.getMetadata().getResourceVersion());

    client.services().inNamespace(namespace).withName(name).delete();
    awaitReason("dns-taken", "-");
  }

  @Test
  void whatPoliciesOfTheClusterRefuseIsAReasonOfItsOwnInTheirWords() {
    client
        .resource(
            new LimitRangeBuilder()
                .withNewMetadata()
                .withNamespace(strict)
                .withName("small")
                .endMetadata()
                .withNewSpec()
                .addNewLimit()
                .withType("Container")
                .withMax(Map.of("cpu", new Quantity("1")))
                .withDefault(Map.of("cpu", new Quantity("500m")))
                .endLimit()
                .endSpec()
                .build())
        .create();
    Jobs there = new Jobs(client, strict);
    Map<String, String> words =
        Map.of(
            "large", "maximum cpu usage per Container is 1",
            "important", "no PriorityClass with name vital was found",
            "nobody", "serviceaccount \"nobody\" not found");
    there.create(
        Jobs.simple("large", 1, "Never")
            .replace("command:", "resources: {limits: {cpu: 2}}\n          command:"));
    there.create(
        Jobs.simple("important", 1, "Never")
            .replace("containers:", "priorityClassName: vital\n        containers:"));
    there.create(
        Jobs.simple("nobody", 1, "Never")
            .replace("containers:", "serviceAccountName: nobody\n        containers:"));
    words.forEach((job, message) -> awaitRejected(there, job, message));

    client
        .namespaces()
        .withName(strict)
        .edit(
            one -> {
              one.getMetadata().getLabels().put("pod-security.kubernetes.io/enforce", "restricted");
              return one;
            });
    there.create(Jobs.simple("insecure", 1, "Never"));
    awaitRejected(there, "insecure", "violates PodSecurity \"restricted:latest\"");
  }

  private static void awaitRejected(Jobs there, String name, String message) {
    PyTorchTrainingJob job =
        there.await(
            name,
            "PodRejected",
            status -> status.columns() != null && "PodRejected".equals(status.columns().reason()));
    assertThat(job.getStatus().phase()).isEqualTo("Pending");
    assertThat(running(job).message()).contains(message);
    assertThat(job.getStatus().conditions())
        .filteredOn(condition -> "ReplicaFailure".equals(condition.type()))
        .allSatisfy(
            condition -> {
              assertThat(condition.status()).isEqualTo("True");
              assertThat(condition.reason()).isEqualTo("PodRejected");
            });
    await("CreateFailed of " + name)
        .until(
            () ->
                there.events(name).stream()
                    .anyMatch(
                        event ->
                            event.getReason().equals("CreateFailed")
                                && event.getMessage().contains(message)));
  }

  private static String withVolume(String manifest, String source) {
    return manifest.replace(
        "containers:", "volumes: [{name: data, " + source + "}]\n        containers:");
  }

  @Test
  void aMissingClaimIsNamed() {
    jobs.create(
        withVolume(
            Jobs.simple("no-claim", 1, "Never"), "persistentVolumeClaim: {claimName: nothing}"));
    awaitWords("no-claim", "Unschedulable", "persistentvolumeclaim \"nothing\" not found");
  }

  /** Only the kubelet's event names it: the pod says no more than ContainerCreating. */
  @Test
  void aMissingConfigMapOfAVolumeIsNamed() {
    kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("no-config-"), Behaviour.stayPending());
    jobs.create(withVolume(Jobs.simple("no-config", 1, "Never"), "configMap: {name: nothing}"));
    Pod pod =
        await("a pod on a node")
            .until(
                () -> jobs.pods("no-config"),
                pods -> pods.size() == 1 && pods.get(0).getSpec().getNodeName() != null)
            .get(0);
    StuckPod.report(
        client,
        pod,
        "MountVolume.SetUp failed for volume \"data\" : configmap \"nothing\" not found");
    awaitWords("no-config", "NotFinished", "worker-0", "configmap \"nothing\" not found");
  }

  @Test
  void aNameThatIsTooLongIsRefusedAndSaysByHowMuch() {
    var answer =
        controlPlane.kubectlWithInput(
            Jobs.simple("a".repeat(60), 2, "Never"), "create", "-n", namespace, "-f", "-");
    // <60>-<5> is 66 long; <66>-worker-1 is 75 long
    assertThat(answer.stderr()).contains("66", "3 more", "75", "12 more");
  }

  @Test
  void aJobThatTheCrdLetsPassAndThatCannotWorkFails() {
    jobs.create(
        Jobs.simple("no-script", 2, "Never")
            .replace(
                "spec:\n  replicaSpecs", "spec:\n  torchrunConfig: {enabled: true}\n  replicaSpecs")
            .replace("[python, train.py]", "[bash]"));
    PyTorchTrainingJob job = jobs.awaitPhase("no-script", "Failed");
    assertThat(failed(job).reason()).isEqualTo("InvalidSpec");
    assertThat(failed(job).message()).contains("torchrun needs to know what to run");
    assertThat(jobs.pods("no-script")).isEmpty();
  }

  private static JobCondition failed(PyTorchTrainingJob job) {
    return Objects.requireNonNull(job.getStatus().conditions()).stream()
        .filter(condition -> "Failed".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anUnknownRestartPolicyDoesNotPassTheSchema() {
    var answer =
        controlPlane.kubectlWithInput(
            Jobs.simple("policy", 1, "Sometimes"), "create", "-n", namespace, "-f", "-");
    assertThat(answer.exitCode()).isNotZero();
    assertThat(answer.stderr())
        .contains(
            "spec.replicaSpecs[0].restartPolicy: Unsupported value: \"Sometimes\": supported values:"
                + " \"Always\", \"ExitCode\", \"Never\", \"OnFailure\"");
  }
}
