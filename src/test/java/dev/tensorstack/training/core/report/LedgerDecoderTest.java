package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerDecoderTest {

  private static final JobNames NAMES = new JobNames("mnist-12e8d", "ns");

  private static StoredLedger stored(World world) {
    return Objects.requireNonNull(world.status().ledger());
  }

  private static StoredLedger read(String json) {
    return Serialization.unmarshal(json, StoredLedger.class);
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    World world = new World(World.workers(3, "OnFailure") + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 2, 1);
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 0);
    world.exit("worker", 2, 137);
    world.settle();
    String json = Serialization.asJson(stored(world));

    assertThat(read(json)).isEqualTo(stored(world));
    Ledger ledger = LedgerDecoder.ledger(read(json), NAMES);
    assertThat(ledger).isEqualTo(world.job().ledger());
    assertThat(ledger.counts().backoff()).isEqualTo(2);
    assertThat(ledger.slots().get(new ReplicaId("worker", 2)))
        .satisfies(
            slot -> {
              assertThat(slot.earlierPods()).isEqualTo(2);
              assertThat(slot.restartAt()).isNotNull();
            });
    assertThat(LedgerDecoder.summary(read(json))).isEqualTo(world.job().summary());
  }

  @Test
  void anEndToComeIsReadWhereItsMomentIsKnown() {
    String json =
        "{\"ending\":{\"outcome\":{\"succeeded\":false,\"reason\":\"BackoffLimitExceeded\","
            + "\"message\":\"used up\"},\"since\":\"%s\",\"consequence\":true}}";
    assertThat(LedgerDecoder.ledger(read(json.formatted("2026-01-02T03:04:05Z")), NAMES).ending())
        .isEqualTo(
            new Ledger.Ending(
                new Ledger.Outcome(false, "BackoffLimitExceeded", "used up"),
                Instant.parse("2026-01-02T03:04:05Z"),
                false));
    assertThat(LedgerDecoder.ledger(read(json.formatted("soon")), NAMES).ending()).isNull();
    assertThat(LedgerDecoder.ledger(read("{\"ending\":{}}"), NAMES).ending()).isNull();
    String good = json.replace("false", "true").formatted("2026-01-02T03:04:05Z");
    assertThat(LedgerDecoder.ledger(read(good), NAMES).ending()).as("only ends badly").isNull();
  }

  @Test
  void aToleratedFailureWithoutAReasonIsReadAsTolerated() {
    World world =
        new World(
            World.workers(3, "OnFailure")
                + """
                torchrunConfig: {enabled: true}
                elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}
                runPolicy: {backoffLimit: 0, restartScope: Replica}
                """);
    world.settle();
    world.allRun();
    world.settle();
    world.see(World.in(world.pod("mnist-12e8d-worker-2"), ObservedPod.Phase.FAILED, List.of()));
    world.settle();
    world.store(
        Serialization.asJson(world.status())
            .replace(",\"reason\":\"Error\",\"tolerated\":true", ",\"tolerated\":true"));
    world.settle();
    Ledger ledger = LedgerDecoder.ledger(read(Serialization.asJson(stored(world))), NAMES);
    Ledger.Slot slot = Objects.requireNonNull(ledger.slots().get(new ReplicaId("worker", 2)));
    Ledger.RecordedEnd end = Objects.requireNonNull(slot.end());
    assertThat(end.reason()).isNull();
    assertThat(end.tolerated()).isTrue();
  }

  /** A rollback: what a later version adds is not understood, and the rest is. */
  @Test
  void whatALaterVersionHasAddedIsPassedOver() {
    StoredLedger later =
        read(
            """
            {"version": 2, "attempt": 3, "mode": "Dream", "pause": "SLEEPING", "colour": "red",
             "replicas": {"worker": {"present": "0-1", "uids": {"0": "u0"}, "moods": {"0": "good"}}},
             "summary": {"phase": "Dreaming", "reason": "Night", "counts": {"Dreaming": 2}}}
            """);
    Ledger ledger = LedgerDecoder.ledger(later, NAMES);

    assertThat(ledger.counts().attempt()).isEqualTo(3);
    assertThat(ledger.mode()).isNull();
    assertThat(ledger.pause()).isEqualTo(Ledger.Pause.NONE);
    assertThat(ledger.slots()).hasSize(2);
    assertThat(Objects.requireNonNull(LedgerDecoder.summary(later)).phase().name())
        .isEqualTo("Unknown");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"replicas\": {\"worker\": null}}",
        "{\"replicas\": {\"worker\": {\"present\": \"x\", \"removed\": \"-1\", \"ended\": [null]}}}",
        "{\"replicas\": {\"worker\": {\"present\": \"0\", \"earlierPods\": {\"many\": \"0\"}, \"restartAt\": {\"noon\": \"0\"}}}}",
        "{\"startTime\": \"noon\", \"disrupted\": [null, {\"replica\": \"?\", \"time\": \"noon\"}]}",
        "{\"lastFailure\": {\"cause\": \"Nobody\", \"time\": \"noon\"}, \"outcome\": {}}",
        "{\"summary\": {}}"
      })
  void whatSomebodyHasEditedIntoNonsenseIsReadAsAbsent(String json) {
    Ledger ledger = LedgerDecoder.ledger(read(json), NAMES);

    assertThat(ledger.startTime()).isNull();
    assertThat(ledger.disrupted()).isEmpty();
    assertThat(ledger.removed()).isEmpty();
    assertThat(ledger.slots().values()).allMatch(slot -> slot.earlierPods() == 0);
    assertThat(LedgerDecoder.summary(read(json))).isNull();
  }
}
