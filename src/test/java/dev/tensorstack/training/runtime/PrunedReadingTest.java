package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.world.FreshJob;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrunedReadingTest {

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: train-422e8-worker-1-r1
        namespace: ns
        uid: 422e8cc7
        resourceVersion: "7"
        creationTimestamp: "2026-01-01T00:00:00Z"
        labels: {replica-type: worker, replica-index: "1"}
        annotations: {cni.projectcalico.org/podIP: 10.0.0.1/32}
        ownerReferences: [{apiVersion: v1, kind: Job, name: train, uid: u, controller: true}]
        managedFields: [{manager: kubelet, operation: Update}]
      spec:
        containers: [{name: pytorch, image: train, env: [{name: A, value: b}]}]
        nodeName: node-1
        nodeSelector: {pool: a100}
        tolerations: [{key: nodeName, operator: Exists}]
      status:
        phase: Failed
        reason: Evicted
        message: low on memory
        podIP: 10.0.0.1
        somethingNew: {a: b}
        conditions:
        - {type: DisruptionTarget, status: "True", reason: T, message: m}
        - {type: Initialized, status: "True"}
        - {status: "True"}
        containerStatuses:
        - name: pytorch
          image: train
          imageID: sha256
          restartCount: 2
          lastState: {terminated: {exitCode: 1, reason: Error, finishedAt: "2026-01-01T00:00:05Z"}}
          ready: true
          state: {terminated: {exitCode: 137, reason: OOMKilled, finishedAt: "2026-01-01T00:00:09Z"}}
      """;

  private final KubernetesSerialization plain = new KubernetesSerialization();
  private final KubernetesSerialization pruned;

  PrunedReadingTest() {
    ObjectMapper mapper = new ObjectMapper();
    new PrunedReading(List.of(StoredJob.KIND)).customize(mapper);
    pruned = new KubernetesSerialization(mapper, true);
    plain.registerKubernetesResource(PyTorchTrainingJob.class);
  }

  @Test
  void whatIsReadFromAPodIsTheSame() {
    TrainingJob job = FreshJob.named("ns", "train", "422e8cc7");
    assertThat(PodReader.read(pruned.unmarshal(POD, Pod.class), job))
        .isPresent()
        .isEqualTo(PodReader.read(plain.unmarshal(POD, Pod.class), job));
  }

  @Test
  void nothingElseOfAPodIsKept() {
    Pod pod = pruned.unmarshal(POD, Pod.class);
    assertThat(pruned.asYaml(pod.getSpec()).strip())
        .isEqualTo("---\nnodeName: \"node-1\"\nnodeSelector:\n  pool: \"a100\"");
    assertThat(pod.getMetadata().getManagedFields()).isEmpty();
    assertThat(pod.getMetadata().getAnnotations()).isEmpty();
    assertThat(pod.getStatus().getConditions())
        .extracting(PodCondition::getType)
        .containsExactly("DisruptionTarget");
    assertThat(pod.getStatus().getPodIP()).isNull();
    assertThat(pod.getStatus().getContainerStatuses().get(0).getImageID()).isNull();
    assertThat(pod.getStatus().getContainerStatuses().get(0).getReady()).isNull();
  }

  /** Thousands of pods are in the cache, and those of a job have most texts in common. */
  @Test
  void textsThatPodsHaveInCommonAreKeptOnce() {
    Pod one = pruned.unmarshal(POD, Pod.class);
    Pod other = pruned.unmarshal(POD, Pod.class);
    assertThat(other.getMetadata().getLabels().get("replica-type"))
        .isSameAs(one.getMetadata().getLabels().get("replica-type"));
    assertThat(other.getMetadata().getOwnerReferences().get(0).getUid())
        .isSameAs(one.getMetadata().getOwnerReferences().get(0).getUid());
    assertThat(other.getSpec().getNodeName()).isSameAs(one.getSpec().getNodeName());
  }

  /** Fifty images and the volumes in use are most of a node, and there are thousands of nodes. */
  @Test
  void ofANodeOnlyWhatTellsOfItsLossAndRoomIsKept() {
    Node node =
        pruned.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: n1, uid: u, managedFields: [{manager: kubelet, operation: Update}]}
            spec:
              podCIDRs: [10.0.0.0/24]
              providerID: cloud://n1
              taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]
            status:
              allocatable: {cpu: "8"}
              capacity: {cpu: "9"}
              conditions: [{type: Ready, status: Unknown, lastTransitionTime: "2026-01-01T00:00:05Z"}]
              images: [{names: [train], sizeBytes: 12}]
              nodeInfo: {kubeletVersion: v1.36.3}
              volumesInUse: [a]
            """,
            Node.class);
    Node kept =
        new NodeBuilder()
            .withNewMetadata()
            .withName("n1")
            .withUid("u")
            .endMetadata()
            .withNewSpec()
            .addNewTaint()
            .withKey("node.kubernetes.io/out-of-service")
            .withEffect("NoExecute")
            .endTaint()
            .endSpec()
            .withNewStatus()
            .addToAllocatable("cpu", new Quantity("8"))
            .addNewCondition()
            .withType("Ready")
            .withStatus("Unknown")
            .withLastTransitionTime("2026-01-01T00:00:05Z")
            .endCondition()
            .endStatus()
            .build();
    assertThat(node).isEqualTo(kept);
  }

  @Test
  void podsInAListAreReadLikeOthers() {
    PodList list =
        pruned.unmarshal(
            "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": ["
                + plain.asJson(plain.unmarshal(POD, Pod.class))
                + "]}",
            PodList.class);
    assertThat(list.getItems()).containsExactly(pruned.unmarshal(POD, Pod.class));
  }

  /** Nothing of a template is taken away, as senseless as it may be. */
  @Test
  void managedFieldsOfATemplateAreKept() {
    String metadata = "metadata: {name: a, managedFields: [{manager: m, operation: Update}]}";
    PodTemplateSpec template = pruned.unmarshal(metadata, PodTemplateSpec.class);
    assertThat(template.getMetadata().getManagedFields()).hasSize(1);
    assertThat(template).isEqualTo(plain.unmarshal(metadata, PodTemplateSpec.class));
  }

  private static final String JOB =
      """
      {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob",
       "metadata": {"name": "train"}, "spec": %s, "status": {"phase": "Running"}}
      """;

  static Stream<String> watchedObjects() {
    return Stream.of(
        new KubernetesSerialization()
            .asJson(new KubernetesSerialization().unmarshal(POD, Pod.class)),
        "{\"metadata\": {\"name\": \"late\"}, \"kind\": \"Pod\", \"apiVersion\": \"v1\"}",
        "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}",
        "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}, \"apiVersion\": \"v1\"}",
        JOB.formatted("{\"replicaSpecs\": [{\"type\": \"a\", \"replicas\": 3}]}"),
        "{\"kind\": \"Service\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"s\"}}",
        "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"code\": 410, \"reason\": \"Expired\"}",
        "{\"kind\": \"Other\", \"apiVersion\": \"example.com/v1\", \"some\": {\"field\": [1]}}",
        "null");
  }

  @ParameterizedTest
  @MethodSource("watchedObjects")
  void whatAWatchBringsIsReadAsTheClientReadsIt(String object) {
    String event = "{\"type\": \"MODIFIED\", \"object\": " + object + "}";
    WatchEvent seen = pruned.unmarshal(event, WatchEvent.class);
    KubernetesResource expected =
        (KubernetesResource) plain.unmarshal(event, WatchEvent.class).getObject();

    assertThat(seen.getType()).isEqualTo("MODIFIED");
    if (expected == null) {
      assertThat(seen.getObject()).isNull();
    } else {
      Object alone = pruned.unmarshal(plain.asJson(expected), expected.getClass());
      assertThat(seen.getObject()).hasSameClassAs(expected).isEqualTo(alone);
    }
  }

  @Test
  void aJobThatDoesNotFitIsMarkedWhenAWatchBringsItToo() {
    WatchEvent seen =
        pruned.unmarshal(
            "{\"type\": \"ADDED\", \"object\": "
                + JOB.formatted("{\"replicaSpecs\": [{\"type\": \"a\", \"replicas\": {\"x\": 1}}]}")
                + "}",
            WatchEvent.class);

    PyTorchTrainingJob job = (PyTorchTrainingJob) seen.getObject();
    assertThat(job.unreadable()).startsWith("spec.replicaSpecs[0].replicas: ");
    assertThat(job.getStatus().phase()).isEqualTo("Running");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"attempt\": \"first\"}", "{\"conditions\": \"none\"}", "{\"tasks\": [7]}"})
  void aStatusThatDoesNotFitMarksItsJobAloneInAListToo(String status) {
    String good = JOB.formatted("{}");
    String odd = good.replace("{\"phase\": \"Running\"}", status);
    JobList list =
        pruned.unmarshal(
            "{\"apiVersion\": \"v1\", \"items\": [%s, %s, %s]}".formatted(odd, good, odd),
            JobList.class);
    assertThat(list.getItems())
        .extracting(job -> job.unreadable() == null)
        .containsExactly(false, true, false);
  }

  /** What nobody would write, and the API server stores where no webhook is asked. */
  static Stream<String> hostileTemplates() {
    return Stream.of(
        "{\"a\": ".repeat(1_000) + "1" + "}".repeat(1_000),
        "{\"a\": ".repeat(9_000) + "1" + "}".repeat(9_000),
        "{\"a\": " + "[".repeat(5_000) + "]".repeat(5_000) + "}",
        "{\"metadata\": {\"annotations\": {\"" + "k".repeat(50_001) + "\": \"v\"}}}",
        "{\"spec\": {\"" + "k".repeat(1_000_000) + "\": 1}}",
        "{\"spec\": {\"containers\": [" + "{\"env\": [".repeat(200) + "]}".repeat(200) + "]}}");
  }

  @ParameterizedTest
  @MethodSource("hostileTemplates")
  void aTemplateBeyondAllReasonMarksItsJobAloneInAListAndInAWatch(String template) {
    String good = JOB.formatted("{\"replicaSpecs\": [{\"type\": \"a\"}]}");
    String hostile =
        JOB.formatted("{\"replicaSpecs\": [{\"type\": \"a\", \"template\": " + template + "}]}")
            .replace(
                "\"name\": \"train\"",
                "\"managedFields\": [{\"fieldsV1\": " + template + "}], \"name\": \"train\"");
    JobList list =
        pruned.unmarshal(
            "{\"apiVersion\": \"v1\", \"items\": [%s, %s, %s]}".formatted(good, hostile, good),
            JobList.class);
    WatchEvent event =
        pruned.unmarshal("{\"type\": \"ADDED\", \"object\": " + hostile + "}", WatchEvent.class);

    assertThat(list.getItems())
        .extracting(job -> job.unreadable() == null)
        .containsExactly(true, false, true);
    assertThat(list.getItems()).extracting(job -> job.getStatus().phase()).containsOnly("Running");
    assertThat(((PyTorchTrainingJob) event.getObject()).unreadable())
        .isEqualTo(list.getItems().get(1).unreadable())
        .startsWith("spec.replicaSpecs[0].template")
        .containsPattern("nested deeper than 100 levels|a name of \\d+ characters, more than 1000")
        .hasSizeLessThan(400);
  }

  /** Its managed fields name each variable, and a variable may have any name. */
  @Test
  void aPodOfLongNamesIsReadAsAnyOther() {
    String key = "k:{\\\"name\\\":\\\"" + "E".repeat(60_000) + "\\\"}";
    String pod =
        "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"managedFields\":"
            + " [{\"fieldsV1\": {\""
            + key
            + "\": {}}}], \"name\": \"p\"}, \"spec\": {\"nodeName\": \"n\"}}";
    PodList list =
        pruned.unmarshal(
            "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": [" + pod + "]}",
            PodList.class);
    Service service = pruned.unmarshal(pod.replace("Pod", "Service"), Service.class);

    assertThat(list.getItems().get(0).getSpec().getNodeName()).isEqualTo("n");
    assertThat(service.getMetadata().getName()).isEqualTo("p");
  }

  /** What the client makes of a list of jobs. */
  private static final class JobList extends DefaultKubernetesResourceList<PyTorchTrainingJob> {}

  @Test
  void aPodWithoutSpecOrStatusIsReadToo() {
    Pod pod = pruned.unmarshal("{\"kind\": \"Pod\", \"spec\": null}", Pod.class);
    assertThat(pod.getSpec()).isNull();
    assertThat(pod.getStatus()).isNull();
  }

  @Test
  void theSpecOfAJobIsReadInFull() {
    PyTorchTrainingJob job =
        pruned.unmarshal(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: train, managedFields: [{manager: kubectl, operation: Update}]}
            spec:
              replicaSpecs:
              - type: worker
                template:
                  metadata: {managedFields: [{manager: me}]}
                  spec:
                    nodeName: node-1
                    containers: [{name: pytorch, image: train, env: [{name: A, value: b}]}]
            """,
            PyTorchTrainingJob.class);
    assertThat(job.getMetadata().getName()).isEqualTo("train");
    assertThat(job.getMetadata().getManagedFields()).isEmpty();
    PodTemplateSpec template = job.getSpec().replicaSpecs().get(0).template();
    assertThat(template.getMetadata().getManagedFields()).hasSize(1);
    assertThat(template.getSpec().getContainers().get(0).getEnv()).hasSize(1);
  }
}
