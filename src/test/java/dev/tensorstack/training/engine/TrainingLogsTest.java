package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The logs of masters whose jobs name a pattern are read, and no others. */
class TrainingLogsTest {

  private final World world =
      new World(
          World.workers(2, "Never")
              + "runPolicy: {progress: {stallSeconds: 60, logPattern: 'step (?P<step>[0-9]+)'}}\n");
  private final JobMemory memory = new JobMemory();
  private final List<String> asked = new ArrayList<>();
  private final List<ResourceID> looks = new ArrayList<>();
  private String log = "";
  private final List<String> unreadable = new ArrayList<>();
  private boolean isThere = true;
  private @Nullable KubernetesClientException refusal;
  private Instant now = World.START.plusSeconds(100);

  private final TrainingLogs logs =
      new TrainingLogs(
          (namespace, pod, container, since) -> {
            asked.add(pod + "/" + container + " since " + since);
            if (refusal != null) {
              throw refusal;
            }
            return log;
          },
          new Clock() {
            @Override
            public Instant instant() {
              return now;
            }

            @Override
            public ZoneOffset getZone() {
              return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
              return this;
            }
          },
          new TrainingLogs.Listener() {
            @Override
            public void enqueue(ResourceID job, JobMemory of) {
              looks.add(job);
            }

            @Override
            public void unreadable(TrainingJob job, String message) {
              unreadable.add(message);
            }
          },
          job -> isThere,
          Runnable::run);

  private @Nullable ReportGap follow() {
    TrainingJob job = world.job();
    return logs.follow(job, world.observe().pods(), memory);
  }

  private void run() {
    world.settle();
    world.allRun();
    world.restarted("worker", 0);
    world.restarted("worker", 1);
    world.settle();
  }

  @Test
  void linesThatMatchAreReportsAndAreReadOnce() {
    run();
    log = "2026-01-01T00:01:00.5Z step 1\n2026-01-01T00:01:01.5Z nothing\n";
    ReportGap unread = follow();
    assertThat(unread).as("not read yet").isNotNull();
    logs.tick();

    assertThat(memory.training().since(null, now)).hasSize(1);
    assertThat(looks).hasSize(1);
    logs.tick();
    assertThat(asked).as("not before the interval is over").hasSize(1);

    now = now.plusSeconds(10);
    logs.tick();
    assertThat(asked.get(1)).endsWith("since 2026-01-01T00:01:01Z");
    assertThat(memory.training().since(null, now)).hasSize(1);
  }

  @Test
  void whatStandsAfterTheLastReadingCountsForNothing() {
    run();
    log = "2026-01-01T00:01:00Z nothing\n";
    ReportGap unread = follow();
    logs.tick();
    assertThat(unread).isEqualTo(new ReportGap(Instant.MIN, now));

    now = now.plusSeconds(7);
    assertThat(follow())
        .as("a log in which nothing was found yet is given its time from its first line")
        .isEqualTo(new ReportGap(Instant.MIN, Instant.parse("2026-01-01T00:01:07Z")));
  }

  private void read(String lines) {
    log = lines;
    ReportGap before = follow();
    assertThat(before).isNotNull();
    logs.tick();
    now = now.plusSeconds(10);
  }

  private @Nullable Instant known() {
    ReportGap gap = follow();
    return gap == null ? null : gap.until().minusSeconds(10);
  }

  @Test
  void aLogWithoutAnyLineIsKnownFromTheFirstReadingOn() {
    run();
    Instant first = now;
    read("");
    read("");

    assertThat(known()).isEqualTo(first);
  }

  @Test
  void linesThatAreNotThereAnyMoreMayHaveBeenTheStep() {
    run();
    read("2026-01-01T00:01:00Z a\n2026-01-01T00:01:10Z b\n");
    read("2026-01-01T00:01:10Z b\n2026-01-01T00:01:50Z c\n");
    assertThat(known()).isEqualTo(Instant.parse("2026-01-01T00:01:00Z"));

    read("2026-01-01T00:01:55Z d\n2026-01-01T00:01:56Z e\n");
    assertThat(known())
        .as("c is not the line before d")
        .isEqualTo(Instant.parse("2026-01-01T00:01:55Z"));

    Instant rotated = now;
    read("");
    assertThat(known()).as("rotated").isEqualTo(rotated);
    read("");
    assertThat(known()).as("it does not begin anew each time").isEqualTo(rotated);
  }

  @Test
  void aLineThatIsNotWholeIsReadTheNextTime() {
    run();
    log = "2026-01-01T00:01:00Z step 1\n2026-01-01T00:01:01Z step 13";
    ReportGap unread = follow();
    logs.tick();
    assertThat(unread).isNotNull();
    assertThat(memory.training().since(null, now)).hasSize(1);

    now = now.plusSeconds(10);
    log = "2026-01-01T00:01:00Z step 1\n2026-01-01T00:01:01Z step 1300\n";
    logs.tick();
    assertThat(memory.training().since(null, now).get(1).metrics().get(0).value())
        .isEqualTo("1300");
  }

  @Test
  void theLogOfAJobThatIsGoneIsAskedForNoMore() {
    run();
    ReportGap unread = follow();
    isThere = false;
    logs.tick();

    assertThat(unread).isNotNull();
    assertThat(asked).isEmpty();
  }

  @Test
  void whatCannotBeReadIsSilenceAndNoHang() {
    run();
    refusal = new KubernetesClientException("forbidden", 403, null);
    ReportGap first = follow();
    logs.tick();

    now = now.plus(Duration.ofHours(1));
    assertThat(first).isNotNull();
    assertThat(follow()).isEqualTo(new ReportGap(Instant.MIN, now));
  }

  @Test
  void aRightThatIsMissingIsToldOnceWithTheRemedy() {
    run();
    refusal = new KubernetesClientException("forbidden", 403, null);
    for (int reading = 0; reading < 3; reading++) {
      ReportGap unread = follow();
      assertThat(unread).isNotNull();
      logs.tick();
      now = now.plusSeconds(10);
    }

    assertThat(unreadable)
        .singleElement()
        .asString()
        .contains("worker-0", "forbidden", "rbac.podLogs");
  }

  @Test
  void aNodeThatDoesNotAnswerIsToldOnlyWhenItLasts() {
    run();
    refusal = new KubernetesClientException("no route to host", 500, null);
    for (int reading = 0; reading < 6; reading++) {
      ReportGap unread = follow();
      assertThat(unread).isNotNull();
      logs.tick();
      assertThat(unreadable).isEmpty();
      now = now.plusSeconds(10);
    }
    logs.tick();

    assertThat(unreadable).singleElement().asString().contains("no route to host", "kubectl logs");
  }

  @Test
  void nobodyElsesLogIsRead() {
    ReportGap pending = follow();
    logs.tick();
    assertThat(pending).isNotNull();
    assertThat(asked).as("no pod runs").isEmpty();

    world.edit(World.workers(2, "Never"));
    run();
    assertThat(follow()).isNull();
    logs.tick();
    assertThat(asked).isEmpty();
  }
}
