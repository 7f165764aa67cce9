package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pod is not lost because the watch does not know its node: the API server is asked. */
class LostNodesTest {

  private final ScheduledExecutorService background = Executors.newScheduledThreadPool(1);
  private final List<String> changed = new CopyOnWriteArrayList<>();
  private final Questions cluster = new Questions();
  private final LostNodes nodes = new LostNodes(Clock.systemUTC(), background);

  @BeforeEach
  void listen() {
    nodes.listen(
        new LostNodes.Listener() {
          @Override
          public void changed(String node) {
            changed.add(node);
          }

          @Override
          public void complete() {
            // Nothing is to be known of it.
          }
        });
  }

  @AfterEach
  void stop() {
    background.shutdownNow();
  }

  /** The API server. */
  private static final class Questions implements LostNodes.Cluster {
    private final Set<String> existing = ConcurrentHashMap.newKeySet();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile boolean away;
    private volatile @Nullable CountDownLatch slow;

    @Override
    public boolean isWatched(String node) {
      return false;
    }

    @Override
    public Optional<Node> ask(String node) {
      asked.add(node);
      CountDownLatch latch = slow;
      if (latch != null) {
        try {
          latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException end) {
          Thread.currentThread().interrupt();
        }
      }
      if (away) {
        throw new KubernetesClientException("away");
      }
      return existing.contains(node) ? Optional.of(node(node, "True")) : Optional.empty();
    }
  }

  private static Node node(String name, String ready) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus(ready)
        .withLastTransitionTime("2026-01-01T00:00:00Z")
        .endCondition()
        .endStatus()
        .build();
  }

  private void awaitTold(String node, int times) {
    await("told of " + node).until(() -> changed.stream().filter(node::equals).count() >= times);
  }

  @Test
  void aNodeThatExistsIsNotLostThoughTheWatchDoesNotKnowItAndIsAskedForOnce() {
    cluster.existing.add("new");
    nodes.begin(cluster);
    assertThat(nodes.since("new", "pod")).isNull();
    await("an answer").until(() -> !cluster.asked.isEmpty());
    for (int look = 0; look < 100; look++) {
      assertThat(nodes.since("new", "pod")).isNull();
    }
    assertThat(cluster.asked).hasSize(1);
    nodes.onAdd(node("new", "True"));
    assertThat(nodes.since("new", "pod")).isNull();
    nodes.onUpdate(node("new", "True"), node("new", "Unknown"));
    assertThat(nodes.since("new", "pod")).isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void aNodeThatDoesNotExistIsLostSinceTheFirstQuestion() {
    nodes.begin(cluster);
    Instant before = Instant.now();
    assertThat(nodes.since("gone", "pod")).isNull();
    awaitTold("gone", 1);
    assertThat(nodes.since("gone", "pod")).isBetween(before, Instant.now());
    assertThat(cluster.asked).containsExactly("gone");
  }

  @Test
  void nobodyWaitsForTheAnswer() {
    CountDownLatch slow = new CountDownLatch(1);
    cluster.slow = slow;
    nodes.begin(cluster);
    Instant before = Instant.now();
    assertThat(nodes.since("gone", "pod")).isNull();
    assertThat(nodes.since("gone", "pod")).isNull();
    assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(5));
    slow.countDown();
    awaitTold("gone", 1);
    assertThat(nodes.since("gone", "pod")).isNotNull();
    assertThat(cluster.asked).hasSize(1);
  }

  @Test
  void withoutAnAnswerThereIsNoVerdictAndTheNextQuestionComesLater() {
    cluster.away = true;
    nodes.begin(cluster);
    Instant begun = Instant.now();
    assertThat(nodes.since("gone", "pod")).isNull();
    awaitTold("gone", 1);
    assertThat(Duration.between(begun, Instant.now())).isGreaterThan(Duration.ofMillis(900));
    cluster.away = false;
    assertThat(nodes.since("gone", "pod")).isNull();
    awaitTold("gone", 2);
    assertThat(nodes.since("gone", "pod")).isNotNull();
    assertThat(cluster.asked).hasSize(2);
  }

  /** Its namesake may have come, and the watch not have told. */
  @Test
  void anAnswerHoldsForPodsThatWereThereBeforeTheQuestion() {
    nodes.begin(cluster);
    assertThat(nodes.since("again", "old")).isNull();
    awaitTold("again", 1);
    assertThat(nodes.since("again", "old")).isNotNull();

    cluster.existing.add("again");
    assertThat(nodes.since("again", "new")).isNull();
    await("a second question").until(() -> cluster.asked.size() == 2);
    assertThat(nodes.since("again", "new")).isNull();
    assertThat(nodes.since("again", "old")).isNotNull();
  }

  @Test
  void aNodeThatIsDeletedIsAskedForAndWhatWasLostWithItBeforeStaysLost() {
    nodes.onAdd(node("worn", "Unknown"));
    nodes.onAdd(node("fine", "True"));
    nodes.begin(cluster);
    Instant since = nodes.since("worn", "pod");
    assertThat(since).isNotNull();
    assertThat(nodes.since("fine", "pod")).isNull();

    nodes.onDelete(node("worn", "Unknown"), false);
    assertThat(nodes.since("worn", "pod")).isEqualTo(since);
    assertThat(cluster.asked).isEmpty();

    nodes.onDelete(node("fine", "True"), false);
    assertThat(nodes.since("fine", "pod")).isNull();
    awaitTold("fine", 2);
    assertThat(nodes.since("fine", "pod")).isNotNull();
    assertThat(cluster.asked).containsExactly("fine");
  }

  @Test
  void nothingIsAskedBeforeTheWatchHasBroughtAllNodes() {
    List<Instant> verdicts = new ArrayList<>();
    verdicts.add(nodes.since("later", "pod"));
    assertThat(verdicts).containsOnlyNulls();
    assertThat(cluster.asked).isEmpty();
    nodes.begin(cluster);
    nodes.onAdd(node("later", "True"));
    assertThat(nodes.since("later", "pod")).isNull();
    assertThat(cluster.asked).isEmpty();
  }
}
