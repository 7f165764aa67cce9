package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.GangScheduler;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolcanoQueueTest {

  private static final GangScheduler VOLCANO = new VolcanoGang("research", null);
  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
  private static final String ASKS = "the gang asks for cpu=3, memory=6Gi, minMember 3";

  private static GenericKubernetesResource object(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, GenericKubernetesResource.class);
  }

  private static GenericKubernetesResource group(String spec, String status) {
    return object(
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: mnist}\nspec: "
            + spec
            + "\nstatus: "
            + status);
  }

  private static GenericKubernetesResource group(String status) {
    return group("{minMember: 3, queue: research, minResources: {memory: 6Gi, cpu: '3'}}", status);
  }

  /** The queue of that name alone. */
  private static GangFacts queue(String name, String spec, String status) {
    Map<String, GangFacts.Queue> queues = new HashMap<>();
    queues.put(
        name,
        VOLCANO.read(
            object(
                "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: "
                    + spec
                    + "\nstatus: "
                    + status)));
    return new GangFacts(queues, List.of(), false);
  }

  private static GangFacts.Said said(String type, String message, int second) {
    return new GangFacts.Said(type, "Unschedulable", message, TIME.plusSeconds(second));
  }

  private static @Nullable String hindrance(String status, GangFacts facts) {
    return VOLCANO.hindrance(group(status), facts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{cpu: 2}         | {state: Open}    | queue research (Open, capability cpu=2) can never hold the gang: enlarge it, or ask for less; ",
        "{cpu: 2999m}     | {state: Open}    | queue research (Open, capability cpu=2999m) can never hold the gang: enlarge it, or ask for less; ",
        "{cpu: 4, memory: 6k} | {state: Closed} | queue research (Closed, capability cpu=4, memory=6k) can never hold the gang: enlarge it, or ask for less; ",
        "{cpu: 3000m, gpu: 0} | {state: Open} | queue research (Open, capability cpu=3000m, gpu=0) has no room for the gang yet; ",
        "{cpu: no number} | {state: Open}    | queue research (Open, capability cpu=no number) has no room for the gang yet; ",
        "{cpu: 4}         | {state: Closed}  | queue research (Closed, capability cpu=4) lets no gang in until it is Open; ",
        "{cpu: 4}         | {state: Closing} | queue research (Closing, capability cpu=4) lets no gang in until it is Open; ",
        "{}               | {state: Unknown} | queue research (Unknown, no capability given) lets no gang in until it is Open; ",
        "null             | {}               | queue research (without a state yet, no capability given) lets no gang in until it is Open; ",
      })
  void theQueueIsNamedWithItsStateAndCapabilityAndWhatTheGangAsksFor(
      String capability, String status, String words) {
    GangFacts facts = queue("research", "{capability: " + capability + "}", status);
    assertThat(hindrance("{phase: Pending}", facts)).isEqualTo(words.strip() + " " + ASKS);
  }

  @Test
  void aQueueThatIsMissingIsNamed() {
    assertThat(hindrance("null", queue("other", "{}", "{state: Open}")))
        .isEqualTo(
            "queue research does not exist: create it, and the gang starts by itself, or name"
                + " another one; "
                + ASKS);
    assertThat(
            VOLCANO.hindrance(
                group("{minMember: 2}", "null"), queue("other", "{}", "{state: Open}")))
        .startsWith("queue default does not exist: ")
        .endsWith("; the gang asks for minMember 2");
  }

  @Test
  void volcanosOwnWordsAreThoseOfItsNewestNormalEvent() {
    GangFacts open = queue("research", "{}", "{state: Open}");
    GangFacts facts =
        new GangFacts(
            open.queues(),
            List.of(
                said("Normal", "queue resource quota insufficient: insufficient cpu", 1),
                said("Normal", "resource in cluster is overused: overused cpu", 2),
                said("Warning", "0/0 tasks in gang unschedulable", 3),
                new GangFacts.Said("Normal", "Evict", "preempted", TIME.plusSeconds(4))),
            false);
    String words = "Volcano says: resource in cluster is overused: overused cpu";
    assertThat(hindrance("{phase: Pending}", facts)).endsWith("minMember 3; " + words);
    assertThat(hindrance("{phase: Pending}", new GangFacts(null, facts.events(), false)))
        .as("queues may not be listed")
        .isEqualTo(words);
    assertThat(hindrance("{phase: Pending}", GangFacts.NONE)).isNull();
  }

  @Test
  void ofAGroupThatIsInItsQueueOnlyWhatItCanNeverHaveIsToldAndOfOneThatRunsNothing() {
    String waits =
        "{phase: Inqueue, conditions: [{type: Unschedulable, status: 'True', reason: NotEnoughResources}]}";
    GangFacts small = queue("research", "{capability: {cpu: 2}}", "{state: Open}");
    assertThat(hindrance(waits, small)).contains("can never hold the gang");
    assertThat(hindrance(waits, queue("research", "{}", "{state: Open}"))).isNull();
    assertThat(hindrance(waits, queue("research", "{}", "{state: Closing}")))
        .as("closed after the gang was let in")
        .isEqualTo(
            "queue research (Closing, no capability given) gives pods of the gang no node until it is"
                + " Open; "
                + ASKS);
    assertThat(hindrance(waits, queue("other", "{}", "{state: Open}"))).contains("does not exist");
    assertThat(
            hindrance(
                waits,
                new GangFacts(null, List.of(said("Normal", "of an earlier moment", 1)), false)))
        .isNull();
    assertThat(hindrance("{phase: Running}", small)).isNull();
    assertThat(VOLCANO.asksForFacts(group("{phase: Running}"))).isFalse();
    assertThat(VOLCANO.asksForFacts(group("null"))).isTrue();
  }

  @Test
  void jobsOfKubeflowsKindSayTheSame() {
    GangScheduler policy = new PolicyGang(VOLCANO, null, null, Map.of());
    GangFacts facts = queue("research", "{}", "{state: Closed}");
    assertThat(policy.queueKind()).isEqualTo(VOLCANO.queueKind());
    assertThat(policy.asksForFacts(group("{phase: Pending}"))).isTrue();
    assertThat(policy.hindrance(group("{phase: Pending}"), facts))
        .isEqualTo(hindrance("{phase: Pending}", facts));
    assertThat(
            policy.read(object("{apiVersion: v1, kind: Queue, metadata: {name: q}}")).capability())
        .isEmpty();
  }
}
