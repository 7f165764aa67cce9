package dev.tensorstack.training.kind.trainingjob.spec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobNamesTest {

  @ParameterizedTest
  @CsvSource({
    "torch-mnist-trainingjob, 9dcea839-3a99-4b6f-b594-620d79f8377d, 7a8f5",
    "mnist, 422e8cc7-163f-4d49-9fb8-d059e490a09b, 12e8d",
    "mnist, cffea855-5ce2-496a-8956-f6e76fe2f565, 40c14",
  })
  void theHashHasItsKnownAnswers(String name, String uid, String hash) {
    assertThat(JobNames.of("ns", name, uid).base()).isEqualTo(name + "-" + hash);
  }

  @Test
  void aHashThatBeginsWithZerosIsPadded() {
    // The hash of "joba2900" begins with two zeros.
    assertThat(JobNames.of("ns", "job", "a2900").base()).isEqualTo("job-00268");
  }

  @Test
  void namesOfPodsFollowFromReplicaAndHistory() {
    JobNames names = new JobNames("mnist-12e8d", "ns");

    assertThat(names.service()).isEqualTo("mnist-12e8d");
    assertThat(names.pod("worker", 3, 0)).isEqualTo("mnist-12e8d-worker-3");
    assertThat(names.pod("worker", 3, 2)).isEqualTo("mnist-12e8d-worker-3-r2");
    assertThat(names.hostName("worker", 3)).isEqualTo("mnist-12e8d-worker-3");
    assertThat(names.address("worker", 3)).isEqualTo("mnist-12e8d-worker-3.mnist-12e8d.ns.svc");
  }

  @Test
  void theHistoryCanBeReadFromTheName() {
    JobNames names = new JobNames("mnist-12e8d", "ns");

    assertThat(names.earlierPods("mnist-12e8d-worker-3", "worker", 3)).isZero();
    assertThat(names.earlierPods("mnist-12e8d-worker-3-r12", "worker", 3)).isEqualTo(12);
    assertThat(names.earlierPods("mnist-12e8d-worker-3-rest", "worker", 3)).isZero();
    assertThat(names.earlierPods("other", "worker", 3)).isZero();
  }
}
