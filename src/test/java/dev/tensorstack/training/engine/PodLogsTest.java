package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PodLogsTest {

  private static final String TORCHRUN = "torchrunConfig: {enabled: true}\n";
  private static final String UNSAID =
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n=====";
  private static final String BAD = "ValueError: loss is not a number";
  private static final String LOST = "RuntimeError: Connection closed by peer";

  private final Map<String, String> texts = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<ResourceID> told = new ArrayList<>();
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final PodLogs.Memory memory = new PodLogs.Memory();
  private World world = new World(World.workers(3, "Never") + TORCHRUN);

  @BeforeEach
  void run() {
    start(world);
  }

  private static void start(World world) {
    world.settle();
    world.allRun();
    world.settle();
  }

  private PodLogs.Known look() {
    Instant now = world.now();
    PodLogs logs =
        new PodLogs(this::end, Clock.fixed(now, ZoneOffset.UTC), told::add, waiting::add);
    return logs.of(world.job(), world.pods().values(), memory);
  }

  private String end(String namespace, String pod, String container, int lines, int bytes) {
    asked.add(pod + " " + container + " " + lines);
    String text = texts.get(pod);
    if (text == null) {
      throw new KubernetesClientException("no log", 404, null);
    }
    return text;
  }

  private void answer() {
    while (!waiting.isEmpty()) {
      waiting.remove().run();
    }
  }

  private static String name(int index) {
    return "mnist-12e8d-worker-" + index;
  }

  private ObservedPod pod(int index) {
    return world.pod(name(index));
  }

  @Test
  void theLogOfAPodThatDoesNotSayWhyIsRead() {
    world.exit("worker", 1, 1, UNSAID);
    texts.put(name(1), "[rank1]: Traceback (most recent call last):\n[rank1]: " + BAD + "\n");
    assertThat(look().beingRead()).containsExactly(pod(1).uid());
    assertThat(look().beingRead()).as("asked once").containsExactly(pod(1).uid());
    answer();

    assertThat(asked).containsExactly(name(1) + " pytorch 1000");
    assertThat(told).containsExactly(new ResourceID("mnist", "ns"));
    PodLogs.Known known = look();
    assertThat(known.beingRead()).isEmpty();
    assertThat(known.words())
        .containsOnly(Map.entry(pod(1).uid(), new FailureText(BAD, FailureText.Origin.OWN, null)));
  }

  @Test
  void whatLostItsPeerIsReadToo() {
    world.exit("worker", 0, 1, LOST);
    world.exit("worker", 1, 1, UNSAID);
    assertThat(look().beingRead()).containsExactlyInAnyOrder(pod(0).uid(), pod(1).uid());
    answer();
    assertThat(asked).as("the likelier one first").first().asString().startsWith(name(1));
  }

  @Test
  void nothingIsReadWhenAPodSaysWhy() {
    world.exit("worker", 0, 1, UNSAID);
    world.exit("worker", 1, 1, BAD);
    assertThat(look()).isEqualTo(PodLogs.Known.NOTHING);
    assertThat(waiting).isEmpty();
  }

  @Test
  void nothingMoreIsReadOnceALogSaysWhy() {
    world.exit("worker", 0, 1, UNSAID);
    texts.put(name(0), BAD);
    look();
    answer();
    world.exit("worker", 1, 1, UNSAID);
    assertThat(look().beingRead()).isEmpty();
  }

  @Test
  void aLogThatCannotBeReadIsNotAskedForAgain() {
    world.exit("worker", 0, 1, UNSAID);
    look();
    answer();
    PodLogs.Known known = look();
    assertThat(known.beingRead()).isEmpty();
    assertThat(known.words().get(pod(0).uid()))
        .isEqualTo(new FailureText(null, FailureText.Origin.UNKNOWN, null));
    assertThat(asked).hasSize(1);
  }

  @Test
  void aLogWithoutAWordFromThePodIsRead() {
    world.exit("worker", 0, 1);
    assertThat(look().beingRead()).containsExactly(pod(0).uid());
    world.exit("worker", 1, 3);
    assertThat(look().beingRead()).as("an exit code that torchrun does not give").isEmpty();
  }

  @Test
  void ofLongLinesFewerAreRead() {
    world.exit("worker", 0, 1, UNSAID);
    texts.put(name(0), "x".repeat(600_000));
    look();
    answer();
    assertThat(asked).containsExactly(name(0) + " pytorch 1000", name(0) + " pytorch 100");
  }

  @Test
  void whatFailedLongAgoIsNotRead() {
    world.exit("worker", 0, 1, UNSAID);
    world.pass(Duration.ofMinutes(3));
    assertThat(look()).isEqualTo(PodLogs.Known.NOTHING);
  }

  @Test
  void withoutTorchrunNothingIsRead() {
    world = new World(World.workers(3, "Never"));
    start(world);
    world.exit("worker", 0, 1, UNSAID);
    assertThat(look()).isEqualTo(PodLogs.Known.NOTHING);
  }

  @Test
  void notAllLogsOfALargeJobAreReadAtOnce() {
    world = new World(World.workers(40, "Never") + TORCHRUN);
    start(world);
    for (int index = 0; index < 40; index++) {
      world.exit("worker", index, 1, LOST);
    }
    assertThat(look().beingRead()).hasSize(40);
    assertThat(waiting).hasSize(16);
    answer();
    assertThat(look().beingRead()).hasSize(24);
  }
}
