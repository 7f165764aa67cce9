package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobTraits;
import dev.tensorstack.training.core.model.PodContext;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.kind.pytorchjob.admission.Defaulter;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PyTorchJobPodsTest {

  private static final MasterWait WAIT = new NameLookup("registry.example/busybox:1", 100);

  private static final String TEMPLATE =
      """
          template:
            spec:
              initContainers: [{name: first, image: a}]
              containers:
              - {name: pytorch, image: a, env: [{name: RANK, value: mine}]%s}
              - {name: sidecar, image: b}
      """;

  private static String type(String name, int replicas, String more) {
    return "  " + name + ":\n    replicas: " + replicas + "\n" + TEMPLATE.formatted(more);
  }

  private static PyTorchJobSpec job(String types, String more) {
    return Defaulter.complete(
        Serialization.unmarshal(
            "---\npytorchReplicaSpecs:\n" + types + more, PyTorchJobSpec.class));
  }

  private static PodSpec pod(
      PyTorchJobSpec job, String type, int index, int size, @Nullable MasterWait wait) {
    boolean master = job.replicas(ReplicaType.Master) != null;
    PyTorchJobPods shape = new PyTorchJobPods(job, wait, false);
    ReplicaSpec replicas =
        Objects.requireNonNull(
            job.replicas(type.equals("master") ? ReplicaType.Master : ReplicaType.Worker));
    PodSpec pod = Serialization.clone(Objects.requireNonNull(replicas.template()).getSpec());
    shape.shape(
        new PodContext(
            new JobSpec(
                List.of(),
                null,
                null,
                null,
                false,
                false,
                new RunPolicy(
                    0, null, RestartScope.REPLICA, Set.of(), CleanUpPolicy.NONE, null, null),
                new PlainScheduling(),
                null,
                new JobTraits(
                    SuccessCriterion.MASTER,
                    false,
                    true,
                    ServiceLayout.ONE_PER_REPLICA,
                    true,
                    true,
                    "pytorch",
                    true,
                    "runPolicy.suspend",
                    shape)),
            "job",
            new PyTorchJobNames("mnist", "uid"),
            "uid",
            new ReplicaId(type, index),
            index,
            size,
            new ReplicaId(master ? "master" : "worker", 0),
            0,
            RunModeKind.TRAIN,
            container -> 0),
        pod);
    return pod;
  }

  /** The last of a name counts. */
  private static Map<String, String> env(Container container) {
    Map<String, String> env = new LinkedHashMap<>();
    for (EnvVar one : container.getEnv()) {
      env.put(one.getName(), one.getValue());
    }
    return env;
  }

  @Test
  void withAMasterEachContainerHasTheStaticEnvironmentAndTheOperatorsValueWins() {
    PyTorchJobSpec job =
        job(
            type("Master", 1, ", ports: [{name: pytorchjob-port, containerPort: 1234}]")
                + type("Worker", 2, ""),
            "nprocPerNode: \"4\"\n");
    PodSpec worker = pod(job, "worker", 1, 3, null);
    List<Container> all = new ArrayList<>(worker.getInitContainers());
    all.addAll(worker.getContainers());
    assertThat(all)
        .hasSize(3)
        .allSatisfy(
            container ->
                assertThat(env(container))
                    .containsExactlyInAnyOrderEntriesOf(
                        Map.ofEntries(
                            Map.entry("PYTHONUNBUFFERED", "1"),
                            Map.entry("MASTER_PORT", "1234"),
                            Map.entry("PET_MASTER_PORT", "1234"),
                            Map.entry("MASTER_ADDR", "mnist-master-0"),
                            Map.entry("PET_MASTER_ADDR", "mnist-master-0"),
                            Map.entry("WORLD_SIZE", "12"),
                            Map.entry("RANK", "2"),
                            Map.entry("PET_NODE_RANK", "2"),
                            Map.entry("PET_NPROC_PER_NODE", "4"),
                            Map.entry("PET_NNODES", "3"))));
    assertThat(env(pod(job, "master", 0, 3, null).getContainers().get(0)))
        .containsEntry("RANK", "0");
  }

  @Test
  void withoutAMasterThereIsNoStaticRendezvous() {
    PyTorchJobSpec job = job(type("Worker", 2, ""), "");
    assertThat(env(pod(job, "worker", 1, 2, WAIT).getContainers().get(1)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("PYTHONUNBUFFERED", "1", "PET_NPROC_PER_NODE", "auto", "PET_NNODES", "2"));
  }

  @Test
  void anElasticJobHasTheSettingsOfItsRendezvous() {
    PyTorchJobSpec job =
        job(
            type("Worker", 2, ", ports: [{name: pytorchjob-port, containerPort: 999}]"),
            """
            elasticPolicy:
              minReplicas: 1
              maxReplicas: 4
              rdzvId: a
              maxRestarts: 3
              rdzvConf: [{key: timeout, value: "5"}, {key: k, value: v}]
            """);
    assertThat(env(pod(job, "worker", 0, 2, null).getContainers().get(1)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "PYTHONUNBUFFERED", "1",
                "PET_NPROC_PER_NODE", "auto",
                "PET_RDZV_ENDPOINT", "mnist-worker-0:999",
                "PET_RDZV_BACKEND", "c10d",
                "PET_NNODES", "1:4",
                "PET_MAX_RESTARTS", "3",
                "PET_RDZV_ID", "a",
                "PET_RDZV_CONF", "timeout=5,k=v"));
  }

  @Test
  void workersWaitForTheMastersNameAfterAllOtherInitContainersUnlessThatIsOff() {
    PyTorchJobSpec job = job(type("Master", 1, "") + type("Worker", 1, ""), "");
    List<Container> init = pod(job, "worker", 0, 2, WAIT).getInitContainers();
    assertThat(init).extracting(Container::getName).containsExactly("first", "init-pytorch");
    Container wait = init.get(1);
    assertThat(wait.getImage()).isEqualTo("registry.example/busybox:1");
    assertThat(wait.getImagePullPolicy()).isEqualTo("IfNotPresent");
    assertThat(String.join(" ", wait.getCommand())).contains("nslookup mnist-master-0", "100");
    assertThat(wait.getResources().getLimits()).hasToString("{cpu=100m, memory=20Mi}");
    assertThat(wait.getResources().getRequests()).hasToString("{cpu=50m, memory=10Mi}");

    assertThat(pod(job, "worker", 0, 2, null).getInitContainers()).hasSize(1);
    assertThat(pod(job, "master", 0, 2, WAIT).getInitContainers()).hasSize(1);
    PyTorchJobSpec workers = job(type("Worker", 1, ""), "");
    assertThat(pod(workers, "worker", 0, 1, WAIT).getInitContainers()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"Always, Always", "OnFailure, OnFailure", "Never, Never", "ExitCode, Never"})
  void thePodsRestartPolicyIsThatOfTheReplica(String policy, String ofThePod) {
    PyTorchJobSpec job = job(type("Worker", 1, "") + "    restartPolicy: " + policy + "\n", "");
    PodSpec pod = pod(job, "worker", 0, 1, null);
    assertThat(pod.getRestartPolicy()).isEqualTo(ofThePod);
    assertThat(pod.getHostname()).isNull();
    assertThat(pod.getSubdomain()).isNull();
  }
}
