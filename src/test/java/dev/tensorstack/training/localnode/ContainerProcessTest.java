package dev.tensorstack.training.localnode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private final String mark = UUID.randomUUID().toString();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Path directory;
  private final ContainerLog log;

  ContainerProcessTest(@TempDir Path directory) {
    this.directory = directory;
    this.log = new ContainerLog(directory.resolve("log"));
  }

  @ParameterizedTest
  @CsvSource({
    "exit 0, 0",
    "exit 3, 3",
    "exit 255, 255",
    "kill -TERM $$, 143",
    "kill -KILL $$, 137",
    "kill -INT $$, 130",
    "kill -SEGV $$, 139"
  })
  void exitStatusIsExact(String script, int code) throws Exception {
    ContainerProcess process = start("echo out; echo err >&2; " + script);
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitCode()).hasValue(code);
    assertThat(log.tail(10)).asString(UTF_8).isEqualTo("out\nerr\n");
  }

  @Test
  void environmentIsWhatWasAskedForWhateverTheNamesAre() throws Exception {
    start(List.of("env"));
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(log.tail(100))
        .asString(UTF_8)
        .contains("dotted.name=a b\n", "TWO=1\n2\n")
        .doesNotContain("HOME=");
  }

  @Test
  void signalReachesTheMainProcessAndMayBeHandled() throws Exception {
    ContainerProcess process =
        start("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
    await().atMost(PATIENCE).until(() -> new String(log.tail(1), UTF_8).equals("ready\n"));
    process.signal("TERM");
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitCode()).hasValue(7);
    assertThat(log.tail(1)).asString(UTF_8).isEqualTo("bye\n");
  }

  @Test
  void killTakesChildrenThatHaveLeftTheSession() throws Exception {
    ContainerProcess process = start("setsid sleep 1000 & sleep 1000 & echo ready; wait");
    await().atMost(PATIENCE).until(() -> process.members().size() >= 3);
    process.kill();
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitCode()).hasValue(137);
    assertThat(ProcessTree.marked(mark)).isEmpty();
  }

  @Test
  void nothingOutlivesTheMainProcess() throws Exception {
    ContainerProcess process = start("setsid sleep 1000 & sleep 1000 & exit 4");
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitCode()).hasValue(4);
    assertThat(ProcessTree.marked(mark)).isEmpty();
  }

  @Test
  void interruptIsNotIgnored() throws Exception {
    ContainerProcess process = start("exec sleep 1000");
    process.signal("INT");
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitCode()).hasValue(130);
  }

  @Test
  void programThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> start(List.of("no-such-program")))
        .isInstanceOf(IOException.class)
        .hasMessage("exec: \"no-such-program\": executable file not found in $PATH");
  }

  @Test
  void killedJvmLeavesNoProcessesBehind() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ContainerProcessTest.class.getName(),
                directory.toString(),
                mark)
            .inheritIO()
            .start();
    try {
      await().atMost(PATIENCE).until(() -> ProcessTree.marked(mark).size() >= 3);
    } finally {
      jvm.destroyForcibly();
    }
    await().atMost(PATIENCE).until(() -> ProcessTree.marked(mark).isEmpty());
  }

  /** A JVM to be killed: starts a container with children and waits. */
  public static void main(String[] args) throws Exception {
    new ContainerProcessTest(Path.of(args[0]))
        .start(List.of("/bin/sh", "-c", "setsid sleep 1000 & sleep 1000 & wait"), args[1]);
    new CountDownLatch(1).await();
  }

  private ContainerProcess start(String script) throws IOException {
    return start(List.of("/bin/sh", "-c", script));
  }

  private ContainerProcess start(List<String> argv) throws IOException {
    return start(argv, mark);
  }

  private ContainerProcess start(List<String> argv, String mark) throws IOException {
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", "dotted.name", "a b", "TWO", "1\n2");
    ProcessSpec spec = new ProcessSpec(argv, environment, directory, directory.resolve("last"));
    return ContainerProcess.start(spec, directory.resolve("pid"), mark, log, ended::countDown);
  }
}
