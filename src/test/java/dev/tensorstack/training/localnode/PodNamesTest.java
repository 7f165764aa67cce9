package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodNamesTest {
  private final PodAddresses addresses = PodAddresses.of("https://127.0.0.1:2/");
  private final PodNames names = new PodNames(addresses, "team-a", "job-1a2b3");
  private final String master = addresses.addressOf("team-a", "job-1a2b3", "job-1a2b3-master-0");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job-1a2b3-master-0.job-1a2b3.team-a.svc.cluster.local",
        "job-1a2b3-master-0.job-1a2b3.team-a.svc",
        "job-1a2b3-master-0.job-1a2b3.team-a",
        "job-1a2b3-master-0.job-1a2b3",
      })
  void everySpellingOfANameIsReplaced(String name) {
    assertThat(names.replace(name)).isEqualTo(master);
    assertThat(names.replace("--rdzv_endpoint=" + name + ":29400"))
        .isEqualTo("--rdzv_endpoint=" + master + ":29400");
    assertThat(names.replace("http://" + name + "/x")).isEqualTo("http://" + master + "/x");
    assertThat(names.replace(name + "," + name)).isEqualTo(master + "," + master);
  }

  @Test
  void fullNamesOfOtherNamespacesAreReplaced() {
    assertThat(names.replace("db-0.db.other.svc"))
        .isEqualTo(addresses.addressOf("other", "db", "db-0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "train.py",
        "torch.distributed.run",
        "db-0.db",
        "job-1a2b3",
        "job-1a2b3.team-a.svc",
        "master-0.job-1a2b3.py",
        "master-0.job-1a2b34",
        "example.com",
        "a.job-1a2b3.team-b",
        "x.y.z.svc.example.com",
      })
  void otherTextsStay(String text) {
    assertThat(names.replace(text)).isEqualTo(text);
  }

  @Test
  void podWithoutSubdomainKnowsFullNamesOnly() {
    PodNames without = new PodNames(addresses, "team-a", "");
    assertThat(without.replace("a. b.c")).isEqualTo("a. b.c");
    assertThat(without.replace("job-1a2b3-master-0.job-1a2b3.team-a.svc")).isEqualTo(master);
  }
}
