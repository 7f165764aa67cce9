package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is left of a job that has ended, and of one that is deleted. */
@OperatorTest(value = "cleanup", proxy = true, env = "OPERATOR_RESTART_DELAY_BASE=5m")
class CleanUpIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;
  private final StatusAtDeletion stored;

  CleanUpIT(
      KubernetesClient client,
      Jobs jobs,
      FakeKubelet kubelet,
      ApiProxy proxy,
      OperatorProcess operator) {
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.operator = operator;
    this.namespace = jobs.namespace();
    stored = new StatusAtDeletion(jobs, namespace);
    var unused = proxy.beforeForwarding(stored);
  }

  private enum End {
    SUCCEEDED,
    FAILED,
    DEADLINE,
    LIMIT
  }

  private static String with(String manifest, String line) {
    return manifest.replace("spec:\n  replicaSpecs", "spec:\n  " + line + "\n  replicaSpecs");
  }

  private String pod(String job, int index, String suffix) {
    return jobs.base(job) + "-worker-" + index + suffix;
  }

  private List<String> remaining(String job) {
    String prefix = jobs.base(job) + "-worker-";
    return jobs.pods(job).stream()
        .map(pod -> pod.getMetadata().getName().substring(prefix.length()))
        .toList();
  }

  /** The pods that remain, of a master, a worker that runs or fails and one that is done. */
  private static List<String> expected(String policy, End end) {
    return switch (policy) {
      case "All" -> List.of();
      case "None" -> end == End.DEADLINE ? List.of("2") : List.of("0", "1", "2");
      default ->
          switch (end) {
            case SUCCEEDED -> List.of("0", "2");
            case FAILED, LIMIT -> List.of("1", "2");
            case DEADLINE -> List.of("2");
          };
    };
  }

  private static String reason(End end) {
    return switch (end) {
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "ReplicaFailed";
      case DEADLINE -> "DeadlineExceeded";
      case LIMIT -> "BackoffLimitExceeded";
    };
  }

  @Test
  void theCleanUpPolicySaysWhatRemainsAfterEveryKindOfEndAndTheStatusComesFirst() {
    Map<String, List<String>> left = new LinkedHashMap<>();
    Map<String, End> ends = new LinkedHashMap<>();
    for (String policy : List.of("All", "Unfinished", "None")) {
      for (End end : End.values()) {
        String name = (policy + "-" + end).toLowerCase(Locale.ROOT);
        left.put(name, expected(policy, end));
        ends.put(name, end);
        jobs.create(
            with(
                Jobs.simple(name, 3, end == End.LIMIT ? "OnFailure" : "Never"),
                "runPolicy: {backoffLimit: 0, cleanUpPolicy: " + policy + "}"));
      }
    }
    ends.keySet().forEach(name -> jobs.awaitPhase(name, "Running"));
    ends.keySet().forEach(name -> kubelet.finish(namespace, pod(name, 2, ""), 0));
    ends.forEach(
        (name, end) -> {
          jobs.await(name, "a worker that is done", now -> now.aggregate().succeeded() == 1);
          switch (end) {
            case SUCCEEDED -> kubelet.finish(namespace, pod(name, 0, ""), 0);
            case FAILED, LIMIT -> kubelet.finish(namespace, pod(name, 1, ""), 1);
            case DEADLINE ->
                jobs.patch(name, "{\"spec\":{\"runPolicy\":{\"activeDeadlineSeconds\":1}}}");
          }
        });
    ends.forEach(
        (name, end) ->
            assertThat(
                    jobs.awaitPhase(name, end == End.SUCCEEDED ? "Succeeded" : "Failed")
                        .getStatus()
                        .columns()
                        .reason())
                .as(name)
                .isEqualTo(reason(end)));
    await("what the policies leave")
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> left.forEach((name, pods) -> assertThat(remaining(name)).isEqualTo(pods)));
    ends.forEach(
        (name, end) -> {
          StatusAtDeletion.Stored then = stored.of(name);
          if (Objects.requireNonNull(left.get(name)).size() == 3) {
            assertThat(then).as(name).isNull();
          } else {
            assertThat(then).as(name).isNotNull();
            Objects.requireNonNull(then);
            assertThat(then.reason()).as(name).isEqualTo(reason(end));
            assertThat(then.events())
                .as(name)
                .contains(
                    switch (end) {
                      case SUCCEEDED -> "Succeeded";
                      case DEADLINE -> "DeadlineExceeded";
                      case FAILED, LIMIT -> "Failed";
                    });
          }
        });
  }

  private static final List<String> STATES =
      List.of("new", "pending", "running", "restarting", "paused", "succeeded", "failed");

  private void createIn(String state, String name) {
    switch (state) {
      case "pending" ->
          jobs.create(
              Jobs.simple(name, 2, "Never")
                  .replace("containers:", "schedulerName: nobody\n        containers:"));
      case "restarting" -> jobs.create(Jobs.simple(name, 2, "OnFailure"));
      case "paused" ->
          jobs.create(with(Jobs.simple(name, 2, "Never"), "runMode: {pause: {enabled: false}}"));
      default ->
          jobs.create(with(Jobs.simple(name, 2, "Never"), "runPolicy: {cleanUpPolicy: None}"));
    }
  }

  private void bringTo(String state, String name) {
    switch (state) {
      case "new" -> {}
      case "pending" -> jobs.awaitPods(name, 2);
      case "restarting" -> {
        // The second counted restart waits.
        kubelet.finish(namespace, pod(name, 1, ""), 1);
        kubelet.finish(namespace, pod(name, 1, "-r1"), 1);
        jobs.await(name, "a delay", now -> now.backoffCount() == 2);
      }
      case "paused" -> {
        jobs.awaitPhase(name, "Running");
        kubelet.finish(namespace, pod(name, 1, ""), 0);
        jobs.await(name, "a worker that is done", now -> now.aggregate().succeeded() == 1);
        jobs.patch(name, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
        jobs.awaitPhase(name, "Paused");
      }
      case "succeeded" -> {
        kubelet.finish(namespace, pod(name, 0, ""), 0);
        jobs.awaitPhase(name, "Succeeded");
      }
      case "failed" -> {
        kubelet.finish(namespace, pod(name, 1, ""), 1);
        jobs.awaitPhase(name, "Failed");
      }
      default -> jobs.awaitPhase(name, "Running");
    }
  }

  private List<String> objectsOf(String uid) {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(
        client
            .pods()
            .inNamespace(namespace)
            .withLabel(TrainingJobLabels.JOB_UID, uid)
            .list()
            .getItems());
    objects.addAll(
        client
            .services()
            .inNamespace(namespace)
            .withLabel(TrainingJobLabels.JOB_UID, uid)
            .list()
            .getItems());
    return objects.stream()
        .map(object -> object.getKind() + " " + object.getMetadata().getName())
        .toList();
  }

  @Test
  void aDeletedJobLeavesNothingBehindInWhateverStateItWas() {
    Map<String, DeletionPropagation> propagations =
        Map.of(
            "fore", DeletionPropagation.FOREGROUND,
            "back", DeletionPropagation.BACKGROUND);
    Map<String, String> uids = new LinkedHashMap<>();
    for (String propagation : propagations.keySet()) {
      STATES.stream()
          .filter(state -> !state.equals("new"))
          .forEach(state -> createIn(state, propagation + "-" + state));
    }
    for (String propagation : propagations.keySet()) {
      for (String state : STATES) {
        String name = propagation + "-" + state;
        if (state.equals("new")) {
          createIn(state, name);
        }
        bringTo(state, name);
        PyTorchTrainingJob job = jobs.get(name);
        assertThat(job.getMetadata().getFinalizers()).isEmpty();
        uids.put(name, job.getMetadata().getUid());
        client
            .resource(job)
            .withPropagationPolicy(propagations.getOrDefault(propagation, null))
            .delete();
      }
    }
    await("nothing left")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () ->
                uids.forEach(
                    (name, uid) -> {
                      assertThat(jobs.find(name)).as(name).isNull();
                      assertThat(objectsOf(uid)).as(name).isEmpty();
                    }));
    assertThat(operator.isAlive()).isTrue();
  }

  @Test
  void aDeletionThatOrphansLeavesThePodsAlone() {
    jobs.create(Jobs.simple("orphan", 2, "OnFailure"));
    jobs.awaitPhase("orphan", "Running");
    PyTorchTrainingJob job = jobs.get("orphan");
    String uid = job.getMetadata().getUid();
    client.resource(job).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    await("the job gone, its pods without owner")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () -> {
              assertThat(jobs.find("orphan")).isNull();
              assertThat(jobs.pods("orphan"))
                  .hasSize(2)
                  .allMatch(pod -> pod.getMetadata().getOwnerReferences().isEmpty())
                  .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null);
            });
    // Another job of that name has other names, and leaves the orphans alone.
    jobs.create(Jobs.simple("orphan", 1, "OnFailure"));
    jobs.awaitPhase("orphan", "Running");
    assertThat(objectsOf(uid)).hasSize(3);
    assertThat(jobs.pods("orphan")).hasSize(3);
  }
}
