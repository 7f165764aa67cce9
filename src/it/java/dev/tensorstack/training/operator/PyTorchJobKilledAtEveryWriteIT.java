package dev.tensorstack.training.operator;

import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * An operator that is killed between any two writes in the life of a PyTorchJob leaves what one
 * leaves that lives: {@link KillRounds} with jobs that are created, that lose a Worker, and that
 * succeed.
 */
@OperatorTest(value = "kfkill", operator = false)
class PyTorchJobKilledAtEveryWriteIT {

  private static final int MOST_WRITES = 25;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;
  private final SoftAssertions softly = new SoftAssertions();

  /** What {@code reasons} says of jobs that nobody has disturbed, by what happened to them. */
  private final Map<String, List<String>> undisturbed = new HashMap<>();

  PyTorchJobKilledAtEveryWriteIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = jobs.namespace();
    this.kubelet = kubelet;
  }

  /** What is written while the operator is killed. */
  private enum Stage {
    CREATION,
    FAILURE,
    SUCCESS
  }

  /** A job with a Master and a Worker, of which the Worker fails or is deleted. */
  private final class Victim extends KillRounds.Victim {
    private final Stage stage;
    private final boolean scopeJob;
    private final boolean disruption;
    private boolean created;
    private boolean failed;
    private boolean finished;

    Victim(Stage stage, boolean scopeJob, boolean disruption, int kill, boolean afterwards) {
      super(
          stage.name().toLowerCase(Locale.ROOT).charAt(0)
              + (scopeJob ? "j" : "r")
              + (disruption ? "d" : "a")
              + (afterwards ? "a" : "b")
              + "-"
              + kill,
          kill,
          afterwards);
      this.stage = stage;
      this.scopeJob = scopeJob;
      this.disruption = disruption;
      if (stage != Stage.CREATION) {
        create();
      }
    }

    private void create() {
      String yaml =
          PyTorchJobScene.manifest(name, "ExitCode", 1, "{cleanPodPolicy: All, backoffLimit: 1}");
      PyTorchJob job = Serialization.unmarshal(yaml, PyTorchJob.class);
      if (scopeJob) {
        job.getMetadata().setAnnotations(Map.of("training.kubeflow.org/restart-scope", "Job"));
      }
      client.resource(job).inNamespace(namespace).create();
      created = true;
    }

    private void fail() {
      if (disruption) {
        client
            .pods()
            .inNamespace(namespace)
            .withName(name + "-worker-0")
            .withGracePeriod(0)
            .delete();
      } else {
        kubelet.finish(namespace, name + "-worker-0", 137);
      }
      failed = true;
    }

    private void finish() {
      kubelet.finish(namespace, name + "-master-0", 0);
      finished = true;
    }

    private @Nullable PyTorchJobStatus status() {
      PyTorchJob job =
          client.resources(PyTorchJob.class).inNamespace(namespace).withName(name).get();
      return job == null ? null : job.getStatus();
    }

    /** Both pods run, and the status says so, after so many restarts. */
    private boolean runs(int restarts) {
      PyTorchJobStatus status = status();
      if (status == null || status.ledger() == null || !isTrue(status, "Running")) {
        return false;
      }
      StoredLedger ledger = status.ledger();
      return number(ledger.backoff()) + number(ledger.disruptions()) == restarts
          && requireNonNullElse(status.replicaStatuses(), Map.<String, ReplicaStatus>of())
              .values()
              .stream()
              .allMatch(type -> number(type.active()) == 1)
          && requireNonNullElse(ledger.replicas(), Map.<String, StoredLedger.Replicas>of())
              .values()
              .stream()
              .allMatch(type -> type.uids() != null && type.uids().size() == 1);
    }

    private boolean hasEnded() {
      PyTorchJobStatus status = status();
      return status != null
          && isTrue(status, "Succeeded")
          && client.pods().inNamespace(namespace).list().getItems().stream()
              .noneMatch(pod -> pod.getMetadata().getName().startsWith(name + "-"))
          && client.services().inNamespace(namespace).list().getItems().stream()
              .noneMatch(service -> service.getMetadata().getName().startsWith(name + "-"));
    }

    @Override
    boolean isReady() {
      return switch (stage) {
        case CREATION -> true;
        case FAILURE -> runs(0);
        case SUCCESS -> {
          if (!failed && runs(0)) {
            fail();
          }
          yield failed && runs(1);
        }
      };
    }

    @Override
    void begin() {
      switch (stage) {
        case CREATION -> create();
        case FAILURE -> fail();
        case SUCCESS -> finish();
      }
    }

    @Override
    boolean isSettled() {
      return switch (stage) {
        case CREATION -> runs(0);
        case FAILURE -> runs(1);
        case SUCCESS -> hasEnded();
      };
    }

    @Override
    boolean isOver() {
      if (!created) {
        create();
      } else if (!failed && runs(0)) {
        fail();
      } else if (failed && !finished && runs(1)) {
        finish();
      }
      return finished && hasEnded();
    }

    @Override
    boolean owns(ApiRequest request) {
      return request.isWrite()
          && (request.name().equals(name)
              || request.name().startsWith(name + "-")
              || request.body().contains("\"" + name + "-")
              || request.body().contains("\"" + name + "."));
    }

    private String what() {
      return (scopeJob ? "all pods" : "one pod") + (disruption ? " disrupted" : " failed");
    }

    /** The reasons of its events, each with how often it was counted. */
    List<String> reasons() {
      return client
          .v1()
          .events()
          .inNamespace(namespace)
          .withField("involvedObject.name", name)
          .list()
          .getItems()
          .stream()
          .map(event -> event.getReason() + " x" + event.getCount())
          .sorted()
          .toList();
    }

    @Override
    void check(ApiProxy proxy) {
      PyTorchJobStatus status = Objects.requireNonNull(status());
      StoredLedger ledger = Objects.requireNonNull(status.ledger());
      softly
          .assertThat(number(ledger.backoff()))
          .as(name + ": counted restarts")
          .isEqualTo(disruption ? 0 : 1);
      softly
          .assertThat(number(ledger.disruptions()))
          .as(name + ": disruptions")
          .isEqualTo(disruption ? 1 : 0);
      softly
          .assertThat(number(ledger.attempt()))
          .as(name + ": attempt")
          .isEqualTo(scopeJob ? 1 : 0);
      softly
          .assertThat(status.conditions())
          .as(name)
          .extracting(one -> one.type() + " " + one.status())
          .containsExactly("Created True", "Running False", "Succeeded True");
      softly
          .assertThat(created(proxy))
          .as(name + ": pods created")
          .containsExactlyInAnyOrderElementsOf(pods());
      softly
          .assertThat(
              proxy.requests(
                  request ->
                      request.is("create", "services") && request.code() == 201 && owns(request)))
          .as(name + ": Services created")
          .hasSize(2);
      softly.assertThat(reasons()).as(name + ": events").isEqualTo(undisturbed.get(what()));
    }

    private List<String> pods() {
      List<String> pods =
          new ArrayList<>(List.of(name + "-master-0", name + "-worker-0", name + "-worker-0"));
      if (scopeJob) {
        pods.add(name + "-master-0");
      }
      return pods;
    }
  }

  private static boolean isTrue(PyTorchJobStatus status, String type) {
    return status.conditions() != null
        && status.conditions().stream()
            .anyMatch(one -> type.equals(one.type()) && "True".equals(one.status()));
  }

  private static int number(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  private OperatorProcess operator(Path kubeconfig) {
    Map<String, String> settings = new HashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_WATCH_NAMESPACES", namespace);
    return OperatorProcess.start(kubeconfig, settings);
  }

  private List<Victim> victims(int kill) {
    List<Victim> victims = new ArrayList<>();
    for (boolean afterwards : new boolean[] {false, true}) {
      victims.add(new Victim(Stage.CREATION, false, false, kill, afterwards));
      victims.add(new Victim(Stage.SUCCESS, false, false, kill, afterwards));
      for (boolean scopeJob : new boolean[] {false, true}) {
        victims.add(new Victim(Stage.FAILURE, scopeJob, false, kill, afterwards));
        victims.add(new Victim(Stage.FAILURE, scopeJob, true, kill, afterwards));
      }
    }
    return victims;
  }

  private void liveUndisturbed() {
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig()).keepBodies();
        OperatorProcess operator = operator(proxy.kubeconfig())) {
      List<Victim> jobs = new ArrayList<>();
      for (boolean scopeJob : new boolean[] {false, true}) {
        jobs.add(new Victim(Stage.CREATION, scopeJob, false, 0, false));
        jobs.add(new Victim(Stage.CREATION, scopeJob, true, 0, false));
      }
      KillRounds.awaitAll("all jobs live undisturbed", jobs, Victim::isOver);
      KillRounds.awaitQuiet(proxy, jobs);
      assertThat(operator.isAlive()).isTrue();
      jobs.forEach(job -> undisturbed.put(job.what(), job.reasons()));
      System.out.println("undisturbed: " + undisturbed);
      jobs.forEach(job -> job.check(proxy));
    }
  }

  @Test
  void aJobLivesTheSameLifeWhereverTheOperatorIsKilled() {
    OperatorProcess.installCrds(client);
    liveUndisturbed();
    softly.assertAll();
    int reached = new KillRounds(controlPlane, this::operator, MOST_WRITES).run(this::victims);
    softly.assertAll();
    // Of the creation alone: two Services, two pods, three events and a status.
    assertThat(reached).isBetween(8, MOST_WRITES - 1);
  }
}
