package dev.tensorstack.training.monitoring;

import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobLabels;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.operator.Jobs;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.awaitility.Awaitility;

/** Jobs of some teams, of both kinds and all sorts; what their pods do follows from their names. */
final class Workload {

  /** The namespaces. */
  static final List<String> TEAMS = List.of("vision", "speech", "language");

  private static final Duration SHORT = Duration.ofSeconds(3);
  private static final Duration LONG = Duration.ofSeconds(12);

  private final KubernetesClient client;
  private final Map<String, Jobs> jobs = new LinkedHashMap<>();
  private final Random random;
  private int count;
  private int arrived;

  /**
   * Makes the namespaces.
   *
   * @param client an administrator
   * @param kubelet runs the pods
   * @param seed for the jobs that come by chance
   */
  Workload(KubernetesClient client, FakeKubelet kubelet, long seed) {
    this.client = client;
    random = new Random(seed);
    for (String team : TEAMS) {
      client
          .namespaces()
          .resource(new NamespaceBuilder().withNewMetadata().withName(team).endMetadata().build())
          .create();
      Awaitility.await("service account of " + team)
          .until(
              () -> client.serviceAccounts().inNamespace(team).withName("default").get() != null);
      jobs.put(team, new Jobs(client, team));
    }
    kubelet.rule(pod -> isOf(pod, "good"), Behaviour.succeedAfter(LONG));
    kubelet.rule(pod -> isOf(pod, "bad"), Behaviour.exitAfter(SHORT, 1));
    // Of a PyTorchJob only some exit codes are worth another try.
    kubelet.rule(pod -> isOf(pod, "flaky") && isFirst(pod), Behaviour.exitAfter(SHORT, 137));
    kubelet.rule(pod -> isOf(pod, "flaky") && !isFirst(pod), Behaviour.succeedAfter(LONG));
    kubelet.rule(pod -> isOf(pod, "moved") && isFirst(pod), Behaviour.evictedAfter(SHORT));
    kubelet.rule(pod -> isOf(pod, "moved") && !isFirst(pod), Behaviour.succeedAfter(LONG));
    kubelet.rule(pod -> isOf(pod, "stuck"), Behaviour.stayPending());
  }

  private static boolean isOf(Pod pod, String sort) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    String job = labels.getOrDefault(PyTorchJobLabels.JOB_NAME, "");
    return labels.getOrDefault(TrainingJobLabels.OWNER_NAME, job).startsWith(sort);
  }

  /** Of a PyTorchJob only one worker: each of its pods is replaced, and counted, by itself. */
  private static boolean isFirst(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    boolean first = "0".equals(labels.get(TrainingJobLabels.ATTEMPT));
    return labels.containsKey(PyTorchJobLabels.JOB_NAME)
        ? first
            && "0".equals(labels.get(PyTorchJobLabels.EARLIER_PODS))
            && pod.getMetadata().getName().endsWith("-worker-0")
        : first;
  }

  /** One job of each sort, until they are where they lead to. */
  void oneOfEach() {
    Jobs vision = of("vision");
    Jobs speech = of("speech");
    refused("vision");
    vision.create(Jobs.simple("good", 2, "Never"));
    vision.create(Jobs.simple("bad", 2, "Never"));
    vision.create(Jobs.simple("flaky", 2, "OnFailure"));
    speech.create(Jobs.simple("moved", 2, "OnFailure"));
    speech.create(Jobs.simple("stuck", 1, "Never"));
    create("vision", pyTorchJob("good-torch", 2, "Never"));
    create("speech", pyTorchJob("bad-torch", 2, "Never"));
    create("speech", pyTorchJob("flaky-torch", 2, "ExitCode"));
    create("language", pyTorchJob("stuck-torch", 1, "Never"));
    speech.create(Jobs.simple("paused", 2, "Never"));
    of("language").create(elastic("elastic"));
    speech.awaitPhase("paused", "Running");
    speech.patch("paused", "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": true}}}}");
    speech.awaitPhase("paused", "Paused");
    of("language").awaitPhase("elastic", "Running");
    vision.awaitPhase("good", "Succeeded");
    vision.awaitPhase("bad", "Failed");
    vision.awaitPhase("flaky", "Succeeded");
    speech.awaitPhase("moved", "Succeeded");
    awaitEnd("vision", "good-torch", "Succeeded");
    awaitEnd("speech", "bad-torch", "Failed");
    awaitEnd("speech", "flaky-torch", "Succeeded");
  }

  private void create(String team, String pyTorchJob) {
    client
        .resource(Serialization.unmarshal(pyTorchJob, PyTorchJob.class))
        .inNamespace(team)
        .create();
  }

  private void awaitEnd(String team, String pyTorchJob, String condition) {
    Awaitility.await(pyTorchJob + " has " + condition)
        .until(
            () -> {
              PyTorchJobStatus status =
                  client
                      .resources(PyTorchJob.class)
                      .inNamespace(team)
                      .withName(pyTorchJob)
                      .get()
                      .getStatus();
              return status != null
                  && status.conditions() != null
                  && status.conditions().stream()
                      .anyMatch(one -> condition.equals(one.type()) && "True".equals(one.status()));
            });
  }

  private Jobs of(String team) {
    return Objects.requireNonNull(jobs.get(team));
  }

  /**
   * A job that is accepted, one that restarts, and one that is not accepted: rates need something
   * that happens after Prometheus has seen the counter for the first time.
   */
  void more() {
    of("vision").create(Jobs.simple("good-" + ++count, 1, "Never"));
    of("vision").create(Jobs.simple("flaky-" + count, 1, "OnFailure"));
    create("vision", pyTorchJob("flaky-torch-" + count, 1, "ExitCode"));
    refused("vision");
    refusedPyTorchJob("vision");
  }

  /** A job by chance; each third one is a PyTorchJob. */
  void one() {
    String team = TEAMS.get(random.nextInt(TEAMS.size()));
    int pods = 1 + random.nextInt(4);
    int chance = random.nextInt(100);
    boolean torch = ++arrived % 3 == 0;
    if (chance < 12) {
      if (torch) {
        refusedPyTorchJob(team);
      } else {
        String unused = refused(team);
      }
      return;
    }
    String sort = chance < 60 ? "good" : chance < 70 ? "bad" : chance < 85 ? "flaky" : "moved";
    try {
      if (torch) {
        create(
            team,
            pyTorchJob(
                sort + "-torch-" + ++count, pods, sort.equals("bad") ? "Never" : "ExitCode"));
        return;
      }
      of(team)
          .create(
              Jobs.simple(sort + "-" + ++count, pods, sort.equals("bad") ? "Never" : "OnFailure"));
    } catch (KubernetesClientException tooBusy) {
      if (tooBusy.getCode() > 0) { // no answer in time: one job less
        throw tooBusy;
      }
    }
  }

  /**
   * Tries to create a job that the webhooks do not accept.
   *
   * @return why it was refused
   */
  String refused(String team) {
    String[] mistakes = {"runPolicy: {backoffLimit: -1}", "runPolicy: {activeDeadlineSeconds: 0}"};
    String wrong =
        random.nextInt(3) == 0
            ? Jobs.simple("Refused", 1, "Never")
                .replace("name: Refused", "name: " + "refused-".repeat(8))
            : Jobs.simple("refused", 1, "Never")
                .replace("spec:\n  rep", "spec:\n  " + mistakes[random.nextInt(2)] + "\n  rep");
    try {
      of(team).create(wrong);
    } catch (KubernetesClientException refused) {
      return Objects.toString(refused.getMessage());
    }
    throw new AssertionError("a wrong job was accepted:\n" + wrong);
  }

  private void refusedPyTorchJob(String team) {
    try {
      create(team, pyTorchJob("refused", 1, "Sometimes"));
    } catch (KubernetesClientException refused) {
      return;
    }
    throw new AssertionError("a wrong PyTorchJob was accepted");
  }

  private static String pyTorchJob(String name, int workers, String restartPolicy) {
    return """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: %1$s}
        spec:
          pytorchReplicaSpecs:
            Master:
              restartPolicy: %2$s
              template: &template
                spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
            Worker: {replicas: %3$d, restartPolicy: %2$s, template: *template}
        """
        .formatted(name, restartPolicy, workers);
  }

  private static String elastic(String name) {
    return Jobs.simple(name, 2, "OnFailure")
        .replace("    replicas: 2\n", "")
        .replace(
            "spec:\n  rep",
            """
            spec:
              torchrunConfig: {enabled: true}
              elastic: {enabled: true, minReplicas: 1, expectedReplicas: 2, maxReplicas: 4}
              rep""");
  }
}
