package dev.tensorstack.training.schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A real Kueue gives out quota on a real API server. */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KueueIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String QUEUE = "team";

  /** Of its own: Kueue's webhooks are about the whole cluster. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Kueue kueue;
  private String namespace;
  private String clusterQueue;

  @BeforeAll
  void start() {
    kueue = Kueue.start(plane);
  }

  @AfterAll
  void stop() {
    try {
      kueue.close();
    } finally {
      plane.close();
    }
  }

  @BeforeEach
  void makeQueues() {
    namespace = plane.createNamespace("kueue");
    clusterQueue = "of-" + namespace;
    kueue
        .queues()
        .clusterQueue(clusterQueue, Map.of("cpu", "2", "memory", "4Gi", "nvidia.com/gpu", "8"));
    kueue.queues().localQueue(namespace, QUEUE, clusterQueue);
  }

  private void create(String manifest) {
    plane.kubectlWithInput(manifest, "create", "-n", namespace, "-f", "-").orThrow();
  }

  private String get(String object, String jsonPath) {
    return plane
        .kubectl("get", object, "-n", namespace, "-o", "jsonpath={" + jsonPath + "}")
        .orThrow();
  }

  private String condition(String workload, String type) {
    return get(
        "workloads.kueue.x-k8s.io/" + workload,
        ".status.conditions[?(@.type=='" + type + "')].status");
  }

  private void createJob(String name, String cpu) {
    create(
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: %s}}
        spec:
          template:
            spec:
              restartPolicy: Never
              containers: [{name: c, image: "train:1", resources: {requests: {cpu: %s, memory: 1Gi}}}]
        """
            .formatted(name, QUEUE, cpu));
  }

  private void createWorkload(String name, int pods, String cpu) {
    create(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: Workload
        metadata: {name: %s}
        spec:
          queueName: %s
          podSets:
          - name: main
            count: %d
            template:
              spec:
                restartPolicy: Never
                containers: [{name: c, image: "train:1", resources: {requests: {cpu: %s}}}]
        """
            .formatted(name, QUEUE, pods, cpu));
  }

  private void awaitUsedCpu(double amount) {
    await("cpu in use of " + clusterQueue)
        .atMost(PATIENCE)
        .until(() -> kueue.queues().usage(clusterQueue).used("cpu") == amount);
  }

  @Test
  void aJobRunsWhenItFitsIntoTheQuota() {
    createJob("large", "3");
    createJob("small", "500m");

    await("job small is resumed")
        .atMost(PATIENCE)
        .until(() -> get("job/small", ".spec.suspend").equals("false"));
    awaitUsedCpu(0.5);
    await("job large waits")
        .atMost(PATIENCE)
        .until(() -> kueue.queues().usage(clusterQueue).pending() == 1);
    assertThat(get("job/large", ".spec.suspend")).isEqualTo("true");
    assertThat(kueue.queues().usage(clusterQueue).used("memory")).isEqualTo(1L << 30);
  }

  @Test
  void aWorkloadOfNobodyIsAdmittedAndGivesItsQuotaBackWhenItIsDeleted() {
    createWorkload("first", 3, "500m");
    await("first is admitted")
        .atMost(PATIENCE)
        .until(() -> condition("first", "Admitted").equals("True"));
    awaitUsedCpu(1.5);
    createWorkload("second", 2, "500m");
    await("second waits")
        .atMost(PATIENCE)
        .until(() -> condition("second", "QuotaReserved").equals("False"));

    plane.kubectl("delete", "workloads.kueue.x-k8s.io", "first", "-n", namespace).orThrow();

    await("second is admitted")
        .atMost(PATIENCE)
        .until(() -> condition("second", "Admitted").equals("True"));
    awaitUsedCpu(1);
    plane.kubectl("delete", "workloads.kueue.x-k8s.io", "second", "-n", namespace).orThrow();
    awaitUsedCpu(0);
  }

  @Test
  void withoutKueueJobsCanBeWrittenAndANewOneTakesThemUp() {
    createWorkload("before", 1, "1");
    await("before is admitted")
        .atMost(PATIENCE)
        .until(() -> condition("before", "Admitted").equals("True"));
    kueue.close();

    createWorkload("meanwhile", 1, "1");
    assertThat(condition("meanwhile", "Admitted")).isEmpty();
    kueue = Kueue.builder().featureGate("ElasticJobsViaWorkloadSlices", true).start(plane);

    await("meanwhile is admitted")
        .atMost(PATIENCE)
        .until(() -> condition("meanwhile", "Admitted").equals("True"));
    awaitUsedCpu(2);
  }

  @Test
  void podsThatDoNotGetReadyCostTheJobItsQuota() {
    kueue.close();
    kueue = Kueue.builder().waitForPodsReady(Duration.ofSeconds(1)).start(plane);
    createJob("never", "1"); // there are no nodes

    await("never was evicted")
        .atMost(PATIENCE)
        .until(
            () ->
                get(
                        "workloads.kueue.x-k8s.io",
                        ".items[*].status.conditions[?(@.type=='Evicted')].reason")
                    .equals("PodsReadyTimeout"));
  }
}
