package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardStatus;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The TensorBoard of a job, with the real controllers of Deployments and of garbage; nodes are
 * fake.
 */
@OperatorTest({"tensorboard", "tensorboard-strict"})
class TensorboardIT {

  private static final String LOGS = "{\"logDir\":{\"pvc\":[{\"name\":\"logs\"}]}";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;

  /** Where pods must be restricted, and where no Deployment may be until its quota goes. */
  private final String strict;

  private final Jobs jobs;
  private final FakeKubelet kubelet;

  TensorboardIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs[] jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs[0];
    this.kubelet = kubelet;
    this.namespace = jobs[0].namespace();
    this.strict = jobs[1].namespace();
    client
        .namespaces()
        .withName(strict)
        .edit(
            one -> {
              one.getMetadata()
                  .setLabels(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
              return one;
            });
    claim(namespace);
    claim(strict);
  }

  @AfterAll
  void stop() {
    client.persistentVolumes().withName(namespace).delete();
    client.persistentVolumes().withName(strict).delete();
  }

  /** A claim named logs, with a volume; the scheduler places no pod without. */
  private void claim(String where) {
    client
        .resource(
            """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: %1$s}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteMany]
              storageClassName: ""
              claimRef: {namespace: %1$s, name: logs}
              hostPath: {path: /nowhere}
            """
                .formatted(where))
        .create();
    client
        .resource(
            """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: logs, namespace: %1$s}
            spec:
              accessModes: [ReadWriteMany]
              storageClassName: ""
              volumeName: %1$s
              resources: {requests: {storage: 1Gi}}
            """
                .formatted(where))
        .create();
  }

  private static String job(String name, int replicas, String tensorboard) {
    return Jobs.simple(name, replicas, "Never") + "  tensorboardSpec: " + tensorboard + "\n";
  }

  private String name(String job) {
    return jobs.base(job) + "-tensorboard";
  }

  private Deployment deployment(String name) {
    return client.apps().deployments().inNamespace(namespace).withName(name).get();
  }

  private Service service(String name) {
    return client.services().inNamespace(namespace).withName(name).get();
  }

  private static Container container(Deployment deployment) {
    return deployment.getSpec().getTemplate().getSpec().getContainers().get(0);
  }

  private Deployment awaitDeployment(String name, String what, Predicate<Deployment> condition) {
    return await(what).until(() -> deployment(name), one -> one != null && condition.test(one));
  }

  private TensorboardStatus awaitReason(Jobs where, String job, String reason) {
    return where
        .await(
            job,
            "TensorBoard " + reason,
            status -> status.tensorboard() != null && reason.equals(status.tensorboard().reason()))
        .getStatus()
        .tensorboard();
  }

  private List<Pod> pods(String where, String job) {
    return client
        .pods()
        .inNamespace(where)
        .withLabel("app.kubernetes.io/instance", new Jobs(client, where).base(job))
        .list()
        .getItems();
  }

  @Test
  void deploymentAndServiceServeTheLogsAndTheStatusSaysSo() {
    PyTorchTrainingJob job =
        jobs.create(
            job(
                "serves",
                2,
                "{logDir: {pvc: [{name: logs, subPath: [a, b]}]}, image: 'tb:1', resources: {limits: {cpu: 1, memory: 1Gi}}}"));
    TensorboardStatus status = awaitReason(jobs, "serves", "Ready");
    String name = name("serves");

    assertThat(status.ready()).isTrue();
    assertThat(status.type()).isEqualTo("Normal");
    assertThat(status.name()).isEqualTo("tensorboard");
    assertThat(status.dependent().getKind()).isEqualTo("Deployment");
    assertThat(status.dependent().getName()).isEqualTo(name);
    assertThat(status.note()).contains("http://" + name + "." + namespace + ".svc:6006");
    Deployment deployment = deployment(name);
    assertThat(container(deployment).getImage()).isEqualTo("tb:1");
    assertThat(container(deployment).getArgs())
        .contains("--logdir_spec=logs/a:/logs/logs/a,logs/b:/logs/logs/b");
    assertThat(container(deployment).getResources().getLimits())
        .containsEntry("memory", new Quantity("1Gi"));
    assertThat(List.<HasMetadata>of(deployment, service(name)))
        .allSatisfy(
            object ->
                assertThat(object.getMetadata().getOwnerReferences())
                    .containsExactly(
                        new OwnerReference(
                            "batch.tensorstack.dev/v1beta1",
                            true,
                            true,
                            "PyTorchTrainingJob",
                            "serves",
                            job.getMetadata().getUid())));
    assertThat(pods(namespace, "serves"))
        .singleElement()
        .satisfies(
            pod ->
                assertThat(pod.getMetadata().getLabels())
                    .containsAllEntriesOf(service(name).getSpec().getSelector()));
    // Its pod is none of the job's.
    PyTorchTrainingJob seen =
        jobs.await("serves", "2 running", now -> now.aggregate().running() == 2);
    assertThat(seen.getStatus().replicas()).isEqualTo(2);
    assertThat(jobs.pods("serves")).hasSize(2);
  }

  @Test
  void changesOfTheSpecAreFollowedAndWithoutItTheObjectsGo() {
    jobs.create(
        job(
            "changes",
            1,
            "{logDir: {pvc: [{name: logs}]}, image: 'tb:1', resources: {limits: {cpu: 1}}}"));
    awaitReason(jobs, "changes", "Ready");
    String name = name("changes");

    jobs.patch("changes", "{\"spec\":{\"tensorboardSpec\":{\"image\":\"tb:2\"}}}");
    awaitDeployment(name, "the new image", one -> container(one).getImage().equals("tb:2"));
    jobs.patch("changes", "{\"spec\":{\"tensorboardSpec\":{\"resources\":null}}}");
    awaitDeployment(
        name,
        "no limits",
        one ->
            container(one).getResources() == null
                || container(one).getResources().getLimits() == null
                || container(one).getResources().getLimits().isEmpty());
    awaitReason(jobs, "changes", "Ready");

    jobs.patch("changes", "{\"spec\":{\"tensorboardSpec\":null}}");
    await("no objects").until(() -> deployment(name) == null && service(name) == null);
    jobs.await("changes", "nothing of TensorBoard", status -> status.tensorboard() == null);
    await("no pods").until(() -> pods(namespace, "changes").isEmpty());
  }

  @Test
  void suspendedItHasNoPodAndIsThereAgainWhenItIsWanted() {
    jobs.create(job("suspends", 1, "{logDir: {pvc: [{name: logs}]}}"));
    awaitReason(jobs, "suspends", "Ready");
    String name = name("suspends");
    String service = service(name).getMetadata().getUid();

    jobs.patch("suspends", "{\"spec\":{\"tensorboardSpec\":{\"suspend\":true}}}");
    TensorboardStatus status = awaitReason(jobs, "suspends", "Suspended");
    assertThat(status.ready()).isFalse();
    assertThat(deployment(name).getSpec().getReplicas()).isZero();
    await("no pods").until(() -> pods(namespace, "suspends").isEmpty());
    assertThat(service(name).getMetadata().getUid()).isEqualTo(service);

    jobs.patch("suspends", "{\"spec\":{\"tensorboardSpec\":{\"suspend\":false}}}");
    awaitReason(jobs, "suspends", "Ready");
  }

  @Test
  void whatOthersChangeOrDeleteIsPutRight() {
    jobs.create(job("drifts", 1, "{logDir: {pvc: [{name: logs}]}, image: 'tb:1'}"));
    awaitReason(jobs, "drifts", "Ready");
    String name = name("drifts");

    client
        .apps()
        .deployments()
        .inNamespace(namespace)
        .withName(name)
        .edit(
            one -> {
              one.getSpec().setReplicas(3);
              container(one).setImage("theirs:1");
              return one;
            });
    awaitDeployment(
        name,
        "the operator's values",
        one -> one.getSpec().getReplicas() == 1 && container(one).getImage().equals("tb:1"));

    String before = deployment(name).getMetadata().getUid();
    client.apps().deployments().inNamespace(namespace).withName(name).delete();
    client.services().inNamespace(namespace).withName(name).delete();
    awaitDeployment(name, "another Deployment", one -> !one.getMetadata().getUid().equals(before));
    await("another Service").until(() -> service(name) != null);
    awaitReason(jobs, "drifts", "Ready");
  }

  @Test
  void itOutlivesTheSuccessOfTheJobAndGoesWithTheJob() {
    jobs.create(job("succeeds", 1, "{logDir: {pvc: [{name: logs}]}}"));
    awaitReason(jobs, "succeeds", "Ready");
    String name = name("succeeds");
    String base = jobs.base("succeeds");
    String uid = deployment(name).getMetadata().getUid();
    kubelet.finish(namespace, base + "-worker-0", 0);
    jobs.awaitPhase("succeeds", "Succeeded");

    // It still does what the spec says.
    jobs.patch("succeeds", "{\"spec\":{\"tensorboardSpec\":{\"image\":\"tb:9\"}}}");
    awaitDeployment(name, "the new image", one -> container(one).getImage().equals("tb:9"));
    awaitReason(jobs, "succeeds", "Ready");
    assertThat(deployment(name).getMetadata().getUid()).isEqualTo(uid);
    assertThat(jobs.get("succeeds").getStatus().phase()).isEqualTo("Succeeded");

    client.resources(PyTorchTrainingJob.class).inNamespace(namespace).withName("succeeds").delete();
    await("nothing is left")
        .until(
            () ->
                deployment(name) == null
                    && service(name) == null
                    && client
                        .pods()
                        .inNamespace(namespace)
                        .withLabel("app.kubernetes.io/instance", base)
                        .list()
                        .getItems()
                        .isEmpty());
  }

  @Test
  void aNameThatIsTakenIsSaidAndNotTouched() {
    jobs.create(Jobs.simple("taken", 1, "Never"));
    jobs.awaitPhase("taken", "Running");
    String name = name("taken");
    client
        .resource(
            """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %s, namespace: %s}
                spec:
                  replicas: 0
                  selector: {matchLabels: {mine: "yes"}}
                  template:
                    metadata: {labels: {mine: "yes"}}
                    spec: {containers: [{name: a, image: theirs}]}
                """
                .formatted(name, namespace))
        .create();
    String theirs = deployment(name).getMetadata().getUid();

    jobs.patch("taken", "{\"spec\":{\"tensorboardSpec\":" + LOGS + "}}}");

    TensorboardStatus status = awaitReason(jobs, "taken", "NameTaken");
    assertThat(status.type()).isEqualTo("Warning");
    assertThat(status.ready()).isFalse();
    assertThat(status.note()).contains(name);
    assertThat(jobs.get("taken").getStatus().phase()).isEqualTo("Running");
    assertThat(deployment(name).getMetadata().getUid()).isEqualTo(theirs);
    assertThat(container(deployment(name)).getImage()).isEqualTo("theirs");
    assertThat(deployment(name).getMetadata().getOwnerReferences()).isEmpty();

    client.apps().deployments().inNamespace(namespace).withName(name).delete();
    awaitReason(jobs, "taken", "Ready");
  }

  /** Its pod also passes where only restricted pods may run. */
  @Test
  void oneThatIsRefusedHoldsNothingBackAndComesWhenItMay() {
    Jobs here = new Jobs(client, strict);
    client
        .resource(
            """
            apiVersion: v1
            kind: ResourceQuota
            metadata: {name: none, namespace: %s}
            spec: {hard: {count/deployments.apps: 0}}
            """
                .formatted(strict))
        .create();
    await("the quota is in force")
        .until(
            () -> client.resourceQuotas().inNamespace(strict).withName("none").get(),
            (ResourceQuota quota) ->
                quota.getStatus() != null
                    && quota.getStatus().getUsed() != null
                    && !quota.getStatus().getUsed().isEmpty());
    here.create(
        job("refused", 2, "{logDir: {pvc: [{name: logs}]}}")
            .replace(
                "          command: [python, train.py]\n",
                """
                          command: [python, train.py]
                          securityContext:
                            runAsNonRoot: true
                            runAsUser: 1000
                            allowPrivilegeEscalation: false
                            capabilities: {drop: [ALL]}
                            seccompProfile: {type: RuntimeDefault}
                """));

    here.awaitPhase("refused", "Running");
    TensorboardStatus status = awaitReason(here, "refused", "QuotaExceeded");
    assertThat(status.type()).isEqualTo("Warning");
    assertThat(status.action()).isEqualTo("Retry");
    assertThat(status.note()).contains("exceeded quota");

    client.resourceQuotas().inNamespace(strict).withName("none").delete();
    awaitReason(here, "refused", "Ready");
    assertThat(pods(strict, "refused")).hasSize(1);
  }

  /** The scheduler says it on the pod, and the Deployment says nothing for ten minutes. */
  @Test
  void aClaimThatDoesNotExistIsToldWithTheRemedy() {
    jobs.create(job("no-claim", 1, "{logDir: {pvc: [{name: missing}]}}"));

    TensorboardStatus status = awaitReason(jobs, "no-claim", "Unschedulable");
    assertThat(status.type()).isEqualTo("Warning");
    assertThat(status.ready()).isFalse();
    assertThat(status.note())
        .contains(
            "persistentvolumeclaim \"missing\" not found",
            "Create the PersistentVolumeClaim missing, or name another one");
    assertThat(jobs.get("no-claim").getStatus().phase()).isEqualTo("Running");

    jobs.patch(
        "no-claim",
        "{\"spec\":{\"tensorboardSpec\":{\"logDir\":{\"pvc\":[{\"name\":\"logs\"}]}}}}");
    assertThat(awaitReason(jobs, "no-claim", "Ready").type()).isEqualTo("Normal");
  }

  @Test
  void theOlderFilesetsAreReadAsTheSame() {
    jobs.create(job("fileset", 1, "{trainingLogFilesets: ['t9k://pvc/logs/run/1/']}"));
    awaitReason(jobs, "fileset", "Ready");

    Deployment deployment = deployment(name("fileset"));
    assertThat(container(deployment).getArgs()).contains("--logdir=/logs/logs/run/1");
    assertThat(deployment.getSpec().getTemplate().getSpec().getVolumes())
        .anyMatch(
            volume ->
                volume.getPersistentVolumeClaim() != null
                    && volume.getPersistentVolumeClaim().getClaimName().equals("logs"));
  }
}
