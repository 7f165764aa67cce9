package dev.tensorstack.training.core.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.JobPorts;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.world.FreshJob;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodFactoryTest {

  private static final String HOST = "mnist-12e8d-master-0.mnist-12e8d.ns.svc";
  private static final String UID = "422e8cc7-163f-4d49-9fb8-d059e490a09b";

  private static final String TWO_TYPES =
      """
      replicaSpecs:
      - type: master
        template:
          metadata:
            labels: {team: vision, job-role: mine, batch.tensorstack.dev/run-mode: debug}
            annotations: {note: kept}
          spec:
            restartPolicy: Always
            hostname: mine
            futureField: {a: 1}
            initContainers:
            - {name: fetch, image: fetch:1}
            containers:
            - name: sidecar
              image: sidecar:1
            - name: python
              image: train:1
              command: [python, train.py, --epochs=3]
              env:
              - {name: MASTER_PORT, value: "1"}
              - {name: PEER, value: $(MASTER_ADDR)}
      - type: worker
        replicas: 3
        template:
          spec:
            containers:
            - name: pytorch
              image: train:1
              command: [python]
              args: [train.py]
              resources: {limits: {nvidia.com/gpu: 2, nvidia.com/mig-1g.5gb: 1, memory: 1Gi}}
      """;

  private static Pod pod(String spec, String type, int index) {
    return pod(spec, type, index, 0, RunModeKind.TRAIN);
  }

  private static Pod pod(String spec, String type, int index, int attempt, RunModeKind mode) {
    TrainingJob job = new World(spec).job();
    return new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT)
        .pod(new ReplicaId(type, index), 0, attempt, mode);
  }

  private static List<String> env(Container container) {
    return container.getEnv().stream()
        .map((EnvVar variable) -> variable.getName() + "=" + variable.getValue())
        .toList();
  }

  @Test
  void withoutTorchrunEveryContainerKnowsItsRankAndWorld() {
    Pod worker = pod(TWO_TYPES, "worker", 2);

    assertThat(env(worker.getSpec().getContainers().get(0)))
        .containsExactly(
            "MASTER_ADDR=" + HOST,
            "MASTER_PORT=23456",
            "WORLD_SIZE=4",
            "RANK=3",
            "PET_NNODES=4",
            "PET_NODE_RANK=3",
            "PET_MASTER_ADDR=" + HOST,
            "PET_MASTER_PORT=23456",
            "PYTHONUNBUFFERED=1",
            "PJ_NAME=mnist",
            "PJ_UID=" + UID,
            "PJ_ATTEMPT=0");
    assertThat(worker.getSpec().getContainers().get(0).getCommand()).containsExactly("python");
    assertThat(worker.getSpec().getContainers().get(0).getArgs()).containsExactly("train.py");
    Pod master = pod(TWO_TYPES, "master", 0);
    assertThat(env(master.getSpec().getInitContainers().get(0))).contains("RANK=0");
    assertThat(env(master.getSpec().getContainers().get(0))).contains("RANK=0");
  }

  @Test
  void kubectlMeansTheTrainingContainerWhereThereAreSeveral() {
    String annotation = "kubectl.kubernetes.io/default-container";

    assertThat(pod(TWO_TYPES, "master", 0).getMetadata().getAnnotations())
        .containsEntry(annotation, "python")
        .containsEntry("note", "kept");
    assertThat(pod(TWO_TYPES, "worker", 0).getMetadata().getAnnotations()).isEmpty();
    String named = TWO_TYPES.replace("note: kept", annotation + ": sidecar");
    assertThat(pod(named, "master", 0).getMetadata().getAnnotations())
        .as("the template's wins")
        .containsEntry(annotation, "sidecar");
  }

  @Test
  void theUsersEnvironmentComesLastAndWins() {
    Container training = pod(TWO_TYPES, "master", 0).getSpec().getContainers().get(1);

    assertThat(env(training))
        .containsExactly(
            "MASTER_ADDR=" + HOST,
            "WORLD_SIZE=4",
            "RANK=0",
            "PET_NNODES=4",
            "PET_NODE_RANK=0",
            "PET_MASTER_ADDR=" + HOST,
            "PET_MASTER_PORT=23456",
            "PYTHONUNBUFFERED=1",
            "PJ_NAME=mnist",
            "PJ_UID=" + UID,
            "PJ_ATTEMPT=0",
            "MASTER_PORT=1",
            "PEER=$(MASTER_ADDR)");
  }

  @Test
  void onTheNodesNetworkAJobHasPortsOfItsOwnWhichTheSchedulerKnows() {
    String spec =
        TWO_TYPES.replaceFirst("(?m)^( *)containers:", "$1hostNetwork: true\n$1containers:")
            + "torchrunConfig: {enabled: true}\n";
    JobPorts ports = JobPorts.of(UID, new World(spec).job().spec());

    Container master = pod(spec, "master", 0).getSpec().getContainers().get(1);
    assertThat(String.join(" ", master.getArgs())).contains(HOST + ":" + ports.rendezvous());
    assertThat(master.getPorts())
        .extracting(ContainerPort::getHostPort)
        .containsExactly(ports.master(), ports.rendezvous());
    Container worker = pod(spec, "worker", 0).getSpec().getContainers().get(0);
    assertThat(env(worker)).contains("MASTER_PORT=" + ports.master());
    assertThat(worker.getPorts()).isEmpty();
  }

  @Test
  void torchrunStartsTheTrainingContainer() {
    String spec = TWO_TYPES + "torchrunConfig: {enabled: true, maxRestarts: 2}\n";

    Container master = pod(spec, "master", 0).getSpec().getContainers().get(1);
    assertThat(master.getCommand()).containsExactly("torchrun");
    assertThat(master.getArgs())
        .containsExactly(
            "--nnodes=4",
            "--nproc_per_node=1",
            "--rdzv_backend=c10d",
            "--rdzv_endpoint=" + HOST + ":29400",
            "--rdzv_id=" + UID + "-0",
            "--rdzv_conf=is_host=true",
            "--max_restarts=2",
            "--role=master",
            "train.py",
            "--epochs=3");
    assertThat(env(master))
        .containsExactly(
            "MASTER_ADDR=" + HOST,
            "PYTHONUNBUFFERED=1",
            "PJ_NAME=mnist",
            "PJ_UID=" + UID,
            "PJ_ATTEMPT=0",
            "MASTER_PORT=1",
            "PEER=$(MASTER_ADDR)");

    Pod third = pod(spec, "worker", 1, 5, RunModeKind.TRAIN);
    Container worker = third.getSpec().getContainers().get(0);
    assertThat(worker.getArgs())
        .contains("--nproc_per_node=3", "--rdzv_id=" + UID + "-5", "--rdzv_conf=is_host=false")
        .contains("--role=worker")
        .endsWith("train.py");
    assertThat(third.getMetadata().getLabels()).containsEntry("batch.tensorstack.dev/attempt", "5");
    // The container beside the training container stays as it is.
    assertThat(pod(spec, "master", 0).getSpec().getContainers().get(0).getCommand()).isEmpty();
  }

  @Test
  void gpuCountsTheAcceleratorsOfEachTypesTrainingContainer() {
    String spec = TWO_TYPES + "torchrunConfig: {enabled: true, procPerNode: gpu}\n";

    assertThat(pod(spec, "worker", 0).getSpec().getContainers().get(0).getArgs())
        .contains("--nproc_per_node=3");
    assertThat(pod(spec, "master", 0).getSpec().getContainers().get(1).getArgs())
        .contains("--nproc_per_node=1");
  }

  @Test
  void anElasticJobGivesTorchrunItsBounds() {
    String spec =
        TWO_TYPES
            + """
            torchrunConfig: {enabled: true}
            elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 6}
            """;

    assertThat(pod(spec, "worker", 2).getSpec().getContainers().get(0).getArgs())
        .contains("--nnodes=2:8");
  }

  @Test
  void theRendezvousBackendsDiffer() {
    String torchrun = TWO_TYPES + "torchrunConfig: {enabled: true, rdzvBackend: %s%s}\n";

    assertThat(args(torchrun.formatted("static", ""), "worker", 1))
        .contains("--rdzv_backend=static", "--rdzv_endpoint=" + HOST + ":29400", "--node_rank=2")
        .noneMatch(option -> option.startsWith("--rdzv_conf"));
    assertThat(
            args(
                torchrun.formatted("etcd-v2", ", extraOptions: [--rdzv_endpoint=etcd:2379]"),
                "worker",
                1))
        .contains("--rdzv_backend=etcd-v2", "--rdzv_endpoint=etcd:2379")
        .noneMatch(option -> option.contains("29400"))
        .noneMatch(option -> option.startsWith("--rdzv_conf"));
  }

  @Test
  void theUsersRendezvousConfigurationIsMergedAndWins() {
    String torchrun = TWO_TYPES + "torchrunConfig: {enabled: true, extraOptions: [%s]}\n";

    assertThat(
            args(
                torchrun.formatted("\"--rdzv-conf=timeout=9,is_host=0\", --no-python"),
                "worker",
                1))
        .contains("--rdzv_conf=is_host=0,timeout=9", "--no-python");
    assertThat(args(torchrun.formatted("--rdzv-con=is_host=0, --rdzv_c, timeout=9"), "worker", 1))
        .contains("--rdzv_conf=is_host=0,timeout=9")
        .noneMatch(option -> option.startsWith("--rdzv-con") || option.startsWith("--rdzv_c,"));
    assertThat(args(torchrun.formatted("--rdzv_conf, read_timeout=7, -t, 3"), "worker", 1))
        .contains("--rdzv_conf=is_host=false,read_timeout=7")
        .containsSequence("--role=worker", "-t", "3", "train.py");
  }

  private static List<String> args(String spec, String type, int index) {
    return pod(spec, type, index).getSpec().getContainers().get(0).getArgs();
  }

  @Test
  void labelsOwnerAndHostNameAreTheContracts() {
    Pod master = pod(TWO_TYPES, "master", 0);

    assertThat(master.getMetadata().getName()).isEqualTo("mnist-12e8d-master-0");
    assertThat(master.getMetadata().getLabels())
        .containsEntry("team", "vision")
        .containsEntry("tensorstack.dev/owner-name", "mnist")
        .containsEntry("replica-type", "master")
        .containsEntry("replica-index", "0")
        .containsEntry("job-role", "master")
        .containsEntry("batch.tensorstack.dev/job-uid", UID)
        .containsEntry("batch.tensorstack.dev/attempt", "0")
        .containsEntry("app.kubernetes.io/managed-by", "pytorchtrainingjob-operator");
    // What the operator reads in its labels is never the template's.
    assertThat(master.getMetadata().getLabels())
        .doesNotContainKey("batch.tensorstack.dev/run-mode");
    assertThat(master.getMetadata().getAnnotations()).containsEntry("note", "kept");
    assertThat(master.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getUid()).isEqualTo(UID);
              assertThat(owner.getController()).isTrue();
              assertThat(owner.getBlockOwnerDeletion()).isTrue();
              assertThat(owner.getKind()).isEqualTo("PyTorchTrainingJob");
              assertThat(owner.getApiVersion()).isEqualTo("batch.tensorstack.dev/v1beta1");
            });
    assertThat(master.getSpec().getHostname()).isEqualTo("mnist-12e8d-master-0");
    assertThat(master.getSpec().getSubdomain()).isEqualTo("mnist-12e8d");
    assertThat(master.getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(pod(TWO_TYPES, "worker", 0).getMetadata().getLabels()).doesNotContainKey("job-role");
  }

  @Test
  void fieldsNewerThanTheOperatorSurvive() {
    assertThat(pod(TWO_TYPES, "master", 0).getSpec().getAdditionalProperties())
        .containsKey("futureField");
  }

  /** The API server refuses it, with its path. */
  @Test
  void whatIsMalformedIsLeftToTheApiServer() {
    String odd =
        """
        replicaSpecs:
        - type: worker
          template:
            spec:
              initContainers: null
              containers:
              - {name: c, env: [null, {name: RANK}], resources: {limits: {cpu: many}}}
              - null
              volumes:
              - {name: v, emptyDir: {sizeLimit: much}}
        """;

    Pod pod = pod(odd, "worker", 0);

    assertThat(pod.getSpec().getContainers()).hasSize(2);
    assertThat(pod.getSpec().getContainers().get(0).getResources().getLimits().get("cpu"))
        .hasToString("many");
    assertThat(pod.getSpec().getVolumes().get(0).getEmptyDir().getSizeLimit().toString())
        .isEqualTo("much");
  }

  @Test
  void aPodSharesNothingWithTheTemplate() {
    World world = new World(TWO_TYPES);
    String before = world.job().spec().toString();

    Pod pod =
        new PodFactory(
                world.job(), ReplicaLayout.of(world.job().spec()), AcceleratorResources.DEFAULT)
            .pod(new ReplicaId("worker", 1), 0, 0, RunModeKind.TRAIN);
    pod.getSpec().getContainers().get(0).getCommand().add("more");

    assertThat(world.job().spec().toString()).isEqualTo(before);
  }

  @Test
  void aSchedulerWithoutMembersIsNone() {
    TrainingJob job = new World(TWO_TYPES + "scheduler: {}\n").job();

    assertThat(job.spec().scheduler().kinds()).isEmpty();
  }

  @Test
  void aDebugPodWaitsInsteadOfTraining() {
    String spec =
        TWO_TYPES.replace(
                "image: train:1", "image: train:1\n        livenessProbe: {periodSeconds: 3}")
            + """
            torchrunConfig: {enabled: true}
            runMode: {debug: {enabled: true, replicaSpecs: [{type: master, skipInitContainer: true, command: [sshd, -D]}]}}
            """;

    Pod master = pod(spec, "master", 0, 0, RunModeKind.DEBUG);
    assertThat(master.getSpec().getInitContainers()).isEmpty();
    Container training = master.getSpec().getContainers().get(1);
    assertThat(training.getCommand()).containsExactly("sshd", "-D");
    assertThat(training.getArgs()).isEmpty();
    assertThat(training.getLivenessProbe()).isNull();
    assertThat(env(training)).contains("RANK=0", "WORLD_SIZE=4");
    Container worker =
        pod(spec, "worker", 0, 0, RunModeKind.DEBUG).getSpec().getContainers().get(0);
    assertThat(worker.getCommand()).containsExactly("sleep", "inf");
    assertThat(worker.getArgs()).isEmpty();
  }

  @Test
  void aResumedPodRunsItsResumeSpec() {
    String spec =
        TWO_TYPES
            + """
            runMode: {pause: {enabled: false, resumeSpecs: [{type: worker, command: [python], args: [resume.py]}]}}
            """;

    Container worker =
        pod(spec, "worker", 0, 0, RunModeKind.RESUME).getSpec().getContainers().get(0);
    assertThat(worker.getArgs()).containsExactly("resume.py");
    Container master =
        pod(spec, "master", 0, 0, RunModeKind.RESUME).getSpec().getContainers().get(1);
    assertThat(master.getCommand()).containsExactly("python", "train.py", "--epochs=3");
  }

  @Test
  void theSchedulersFindTheirMarks() {
    Pod t9k = pod(TWO_TYPES + "scheduler: {t9kScheduler: {queue: q1}}\n", "worker", 0);
    assertThat(t9k.getSpec().getSchedulerName()).isEqualTo("t9k-scheduler");
    assertThat(t9k.getMetadata().getLabels())
        .containsEntry("scheduler.tensorstack.dev/group-name", "mnist-12e8d")
        .containsEntry("scheduler.tensorstack.dev/queue", "q1")
        .containsEntry("scheduler.tensorstack.dev/role", "worker");
    Pod volcano = pod(TWO_TYPES + "scheduler: {volcano: {}}\n", "worker", 0);
    assertThat(volcano.getSpec().getSchedulerName()).isEqualTo("volcano");
    assertThat(volcano.getMetadata().getAnnotations())
        .containsEntry("scheduling.k8s.io/group-name", "mnist-12e8d");
    Pod coscheduling = pod(TWO_TYPES + "scheduler: {coscheduling: {}}\n", "worker", 0);
    assertThat(coscheduling.getSpec().getSchedulerName()).isEqualTo("scheduler-plugins-scheduler");
    assertThat(coscheduling.getMetadata().getLabels())
        .containsEntry("scheduling.x-k8s.io/pod-group", "mnist-12e8d");
    Pod kubernetes = pod(TWO_TYPES + "scheduler: {kubernetes: {}}\n", "worker", 0);
    assertThat(kubernetes.getSpec().getSchedulerName()).isNull();
    assertThat(Serialization.asJson(kubernetes))
        .contains("\"schedulingGroup\":{\"podGroupName\":\"mnist-12e8d\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "{},                                    '',                scheduler-plugins-scheduler",
    "{},                                    default-scheduler, scheduler-plugins-scheduler",
    "{},                                    mine,              mine",
    "{schedulerName: given},                '',                given",
  })
  void coschedulingHasTheNameThatIsGivenHereOrInTheTemplate(
      String settings, String inTemplate, String expected) {
    String spec =
        TWO_TYPES.replace(
            "    spec:\n      containers:\n      - name: pytorch",
            "    spec:\n      schedulerName: '"
                + inTemplate
                + "'\n      containers:\n      - name: pytorch");

    assertThat(
            pod(spec + "scheduler: {coscheduling: " + settings + "}\n", "worker", 0)
                .getSpec()
                .getSchedulerName())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "t9kScheduler, t9k-scheduler",
    "volcano,      volcano",
    "coscheduling, scheduler-plugins-scheduler",
    "kubernetes,   "
  })
  void aPodOutsideTheGroupGoesToTheSameScheduler(String member, @Nullable String scheduler) {
    TrainingJob job = new World(TWO_TYPES + "scheduler: {" + member + ": {}}\n").job();

    Pod alone =
        new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT, null, null)
            .pod(new ReplicaId("worker", 0), 1, 0, RunModeKind.TRAIN);

    assertThat(alone.getSpec().getSchedulerName()).isEqualTo(scheduler);
    assertThat(Serialization.asJson(alone))
        .doesNotContain("group-name", "pod-group", "podGroupName");
  }

  /** The Workload speaks for the pods: Kueue is to see none of them. */
  @Test
  void podsOfAQueuedJobCarryNoMarkOfKueue() {
    TrainingJob job = queued(TWO_TYPES);

    Pod pod = factory(job).pod(new ReplicaId("worker", 1), 0, 2, RunModeKind.TRAIN);

    assertThat(Serialization.asJson(pod)).doesNotContain("kueue");
  }

  @Test
  void aPodGoesWhereItsQueueSendsItAndTheUsersWishStays() {
    TrainingJob job =
        queued(TWO_TYPES.replace("    spec:\n", "    spec:\n      nodeSelector: {pool: mine}\n"));
    GenericKubernetesResource entry = new GenericKubernetesResource();
    entry.setApiVersion("kueue.x-k8s.io/v1beta2");
    entry.setKind("Workload");
    entry.setMetadata(new ObjectMetaBuilder().withName("mnist-12e8d").withUid("w").build());
    QueueAnswer.Share share =
        new QueueAnswer.Share(
            3,
            Map.of("pool", "theirs", "gpu", "a100"),
            List.of(new TolerationBuilder().withKey("gpu").build()),
            Map.of("team", "a"),
            Map.of("note", "b"),
            List.of(Map.of("rack", "r1"), Map.of("rack", "r2")));
    QueueEntry lent =
        new QueueEntry(
            entry, new QueueAnswer(QueueAnswer.State.ADMITTED, "", Map.of("worker", share)));
    Map<ReplicaId, QueueEntry> entries = new LinkedHashMap<>();
    entries.put(new ReplicaId("worker", 0), lent);
    entries.put(new ReplicaId("worker", 4), lent);
    QueuePlace place = new QueuePlace(entries, Map.of());

    Pod pod =
        new PodFactory(
                job,
                ReplicaLayout.of(
                    job.spec(), List.of(new ReplicaId("worker", 0), new ReplicaId("worker", 4))),
                AcceleratorResources.DEFAULT,
                null,
                place)
            .pod(new ReplicaId("worker", 4), 0, 0, RunModeKind.TRAIN);

    assertThat(pod.getSpec().getNodeSelector())
        .containsEntry("pool", "mine")
        .containsEntry("gpu", "a100")
        .as("its place is that of the second worker")
        .containsEntry("rack", "r2");
    assertThat(pod.getSpec().getTolerations()).extracting("key").contains("gpu");
    assertThat(pod.getMetadata().getLabels()).containsEntry("team", "a");
    assertThat(pod.getMetadata().getAnnotations()).containsEntry("note", "b");
    assertThat(pod.getMetadata().getOwnerReferences()).hasSize(2);
    assertThat(pod.getMetadata().getOwnerReferences().get(1))
        .satisfies(
            owner -> {
              assertThat(owner.getUid()).isEqualTo("w");
              assertThat(owner.getController()).as("the job is").isNull();
              assertThat(owner.getBlockOwnerDeletion()).isTrue();
            });
  }

  private static TrainingJob queued(String yaml) {
    TrainingJob job = new World(yaml).job();
    return FreshJob.of(
        job.namespace(),
        job.name(),
        job.uid(),
        SpecReader.read(World.spec(yaml), Map.of("kueue.x-k8s.io/queue-name", "q")));
  }

  private static PodFactory factory(TrainingJob job) {
    return new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT);
  }
}
