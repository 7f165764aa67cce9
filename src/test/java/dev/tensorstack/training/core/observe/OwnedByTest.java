package dev.tensorstack.training.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnedByTest {

  private static final TrainingJob JOB = FreshJob.named("ns", "mnist", "u-2");
  private static final OwnerReference OF_BEFORE = OwnedBy.job(FreshJob.named("ns", "mnist", "u-1"));

  private static Service service(String namespace, OwnerReference... owners) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName("mnist-master-0")
        .withOwnerReferences(owners)
        .endMetadata()
        .build();
  }

  @Test
  void theReferenceIsThatOfAControllerWhoseDeletionWaits() {
    OwnerReference reference = OwnedBy.job(JOB);

    assertThat(reference.getUid()).isEqualTo("u-2");
    assertThat(reference.getName()).isEqualTo("mnist");
    assertThat(reference.getApiVersion()).isEqualTo(JOB.kind().apiVersion());
    assertThat(reference.getKind()).isEqualTo(JOB.kind().kind());
    assertThat(reference.getController()).isTrue();
    assertThat(reference.getBlockOwnerDeletion()).isTrue();
  }

  @Test
  void aJobOwnsWhatItControlsInItsNamespace() {
    OwnerReference notTheController =
        new OwnerReferenceBuilder(OwnedBy.job(JOB)).withController(false).build();

    assertThat(OwnedBy.isOwnedBy(service("ns", OwnedBy.job(JOB)), JOB)).isTrue();
    assertThat(OwnedBy.isOwnedBy(service("elsewhere", OwnedBy.job(JOB)), JOB)).isFalse();
    assertThat(OwnedBy.isOwnedBy(service("ns", OF_BEFORE), JOB)).isFalse();
    assertThat(OwnedBy.isOwnedBy(service("ns", notTheController), JOB)).isFalse();
    assertThat(OwnedBy.isOwnedBy(service("ns"), JOB)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "PyTorchTrainingJob, batch.tensorstack.dev/v1beta1, mnist, true, true",
    // Others that may live on.
    "PyTorchTrainingJob, batch.tensorstack.dev/v1beta1, digits, true, false",
    "PyTorchJob, batch.tensorstack.dev/v1beta1, mnist, true, false",
    "PyTorchTrainingJob, kubeflow.org/v1, mnist, true, false",
    "Deployment, apps/v1, mnist, true, false",
    // It does not go with an owner that is not its controller alone.
    "PyTorchTrainingJob, batch.tensorstack.dev/v1beta1, mnist, false, false",
    "PyTorchTrainingJob, batch.tensorstack.dev/v1beta1, mnist, , false",
  })
  void whatAnEarlierJobOfTheNameHasLeftIsAboutToGo(
      String kind, String apiVersion, String name, Boolean controller, boolean goes) {
    OwnerReference owner =
        new OwnerReferenceBuilder()
            .withKind(kind)
            .withApiVersion(apiVersion)
            .withName(name)
            .withUid("u-1")
            .withController(controller)
            .build();

    assertThat(OwnedBy.isAboutToGo(service("ns", owner), JOB)).isEqualTo(goes);
  }

  @Test
  void whatIsBeingDeletedIsAboutToGoAndWhatNobodyOwnsStays() {
    Service stays = service("ns");
    assertThat(OwnedBy.isAboutToGo(stays, JOB)).isFalse();

    stays.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
    assertThat(OwnedBy.isAboutToGo(stays, JOB)).isTrue();
  }
}
