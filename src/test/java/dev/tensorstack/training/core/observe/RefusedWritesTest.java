package dev.tensorstack.training.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RefusedWritesTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static WriteFailure refusal(ObjectWrite write, long seconds) {
    return new WriteFailure(write, WriteFailure.Kind.QUOTA, "no", NOW.plusSeconds(seconds));
  }

  @Test
  void podsWaitForEachOtherByWhatIsDoneAndOtherObjectsForThemselves() {
    ObjectWrite service = ObjectWrite.of(ObjectKind.SERVICE, "a");
    RefusedWrites refused =
        RefusedWrites.of(
            List.of(
                refusal(ObjectWrite.pod("a"), 1),
                refusal(ObjectWrite.pod("b"), 4),
                refusal(ObjectWrite.podDeletion("a"), 2),
                refusal(service, 8),
                refusal(ObjectWrite.of(ObjectKind.DEPLOYMENT, "a"), 0)));
    assertThat(refused.heldBack(NOW))
        .isEqualTo(
            Map.of(
                ObjectWrite.pod("z").company(),
                NOW.plusSeconds(4),
                ObjectWrite.podDeletion("z").company(),
                NOW.plusSeconds(2),
                service,
                NOW.plusSeconds(8)));
  }

  @Test
  void onlyWhatIsWantedOrUnderWayMatters() {
    WriteFailure wanted = refusal(ObjectWrite.pod("a"), 1);
    WriteFailure retried =
        new WriteFailure(ObjectWrite.pod("b"), WriteFailure.Kind.QUOTA, "no", NOW, true);
    RefusedWrites refused =
        RefusedWrites.of(List.of(wanted, retried, refusal(ObjectWrite.podDeletion("a"), 1)));
    assertThat(refused.ofWanted(Set.of(ObjectWrite.pod("a"))).byWrite().values())
        .containsExactlyInAnyOrder(wanted, retried);
    assertThat(RefusedWrites.of(List.of(wanted)).ofWanted(Set.of()).isEmpty()).isTrue();
  }

  @Test
  void aWriteIsSaidInTheWordsOfItsObject() {
    assertThat(ObjectWrite.pod("a")).hasToString("pod a");
    assertThat(ObjectWrite.podDeletion("a")).hasToString("deletion of pod a");
    assertThat(ObjectWrite.deletion(ObjectKind.DEPLOYMENT, "a"))
        .hasToString("deletion of Deployment.apps a");
    assertThat(refusal(ObjectWrite.pod("a"), 1).describe()).isEqualTo("pod a: no");
  }
}
