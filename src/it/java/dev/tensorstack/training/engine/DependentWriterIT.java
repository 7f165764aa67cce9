package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.core.dependents.TensorboardFactory;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.world.FreshJob;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of somebody else's object that has the name of one beside a job's pods. */
@ExtendWith(ControlPlaneExtension.class)
class DependentWriterIT {

  private final KubernetesClient client;
  private final String namespace;
  private final RefusalMemory refusals = new RefusalMemory();
  private final DependentMemory memory = new DependentMemory(refusals);
  private TrainingJob job;
  private GenericKubernetesResource wanted;

  DependentWriterIT(ControlPlane controlPlane, KubernetesClient client) {
    this.client = client;
    OperatorProcess.installCrds(client);
    namespace = controlPlane.createNamespace("beside");
    job = job();
    wanted = service();
  }

  @BeforeEach
  void begin() {
    job = job();
    wanted = service();
  }

  /** A job that is there: what belongs to none is collected by the controller manager. */
  private TrainingJob job() {
    TrainingJob any =
        new World(World.workers(1, "Never") + "tensorboardSpec: {logDir: {pvc: [{name: logs}]}}\n")
            .job();
    String name = "job-" + UUID.randomUUID();
    String uid =
        new Jobs(client, namespace).create(Jobs.simple(name, 1, "Never")).getMetadata().getUid();
    return FreshJob.of(namespace, name, uid, any.spec());
  }

  private GenericKubernetesResource service() {
    return TensorboardFactory.objects(job).stream()
        .filter(object -> object.getKind().equals("Service"))
        .findFirst()
        .orElseThrow();
  }

  private void apply() {
    DependentWriter writer =
        new DependentWriter(
            client,
            new FairWriteQueue(1, Runnable::run, Clock.systemUTC()),
            Clock.systemUTC(),
            new DependentWriter.Listener() {
              @Override
              public void written(ObjectKind kind, GenericKubernetesResource answer) {}

              @Override
              public void enqueue(TrainingJob again) {}
            },
            any -> true);
    writer.execute(
        job, memory, List.of(new PlannedAction.ApplyDependent(ObjectKind.SERVICE, wanted)));
  }

  private Service stored() {
    return Objects.requireNonNull(
        client.services().inNamespace(namespace).withName(wanted.getMetadata().getName()).get());
  }

  private Service strangers() {
    return client
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withName(wanted.getMetadata().getName())
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .addNewPort()
                .withPort(7)
                .endPort()
                .endSpec()
                .build())
        .create();
  }

  private WriteFailure refusal() {
    return Objects.requireNonNull(
        refusals.known().get(ObjectWrite.of(ObjectKind.SERVICE, wanted.getMetadata().getName())));
  }

  @Test
  void itIsNotTakenOverAtACreation() {
    Service theirs = strangers();
    apply();
    assertThat(refusal().kind()).isEqualTo(WriteFailure.Kind.NAME_TAKEN);
    assertThat(stored()).isEqualTo(theirs);
  }

  @Test
  void itIsNotTakenOverWhenItHasComeInPlaceOfTheJobsOwn() {
    apply();
    Service own = stored();
    assertThat(refusals.known()).isEqualTo(RefusedWrites.NONE);
    client.resource(own).delete();
    Service theirs = strangers();

    wanted = service();
    wanted.getMetadata().setUid(own.getMetadata().getUid());
    apply();
    assertThat(refusal().kind()).isEqualTo(WriteFailure.Kind.NAME_TAKEN);
    assertThat(stored()).isEqualTo(theirs);
  }

  @Test
  void itsOwnIsChanged() {
    apply();
    Service own = stored();
    wanted = service();
    wanted.getMetadata().setUid(own.getMetadata().getUid());
    wanted.getMetadata().getLabels().put("more", "labels");
    apply();
    assertThat(refusals.known()).isEqualTo(RefusedWrites.NONE);
    assertThat(stored().getMetadata().getUid()).isEqualTo(own.getMetadata().getUid());
    assertThat(stored().getMetadata().getLabels()).containsEntry("more", "labels");
  }
}
