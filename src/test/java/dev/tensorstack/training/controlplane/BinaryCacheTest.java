package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryCacheTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Progress progress =
      new Progress(new PrintStream(said, true, StandardCharsets.UTF_8), Duration.ofMillis(20));
  private final AtomicInteger built = new AtomicInteger();
  private String recipe = "one";

  private final Path directory;

  BinaryCacheTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private BinaryCache cache(BinarySource... sources) {
    return new BinaryCache(directory, tool -> recipe, List.of(sources), progress);
  }

  private Optional<String> build(Tool tool, Path target) {
    return write(target, tool.program() + built.incrementAndGet());
  }

  private static Optional<String> write(Path target, String content) {
    try {
      Files.writeString(target, content);
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatIsCachedIsNotMadeAgain() throws Exception {
    cache(this::build).provide(List.of(Tool.ETCD, Tool.KUBECTL));
    cache(this::build).provide(List.of(Tool.ETCD, Tool.KUBECTL));

    assertThat(built).hasValue(2);
    assertThat(directory.resolve("etcd")).isExecutable().hasContent("etcd1");
    assertThat(directory.resolve("kubectl")).isExecutable().hasContent("kubectl2");
  }

  @Test
  void anotherRecipeIsAnotherProgram() throws Exception {
    cache(this::build).provide(List.of(Tool.ETCD));
    recipe = "two";
    cache(this::build).provide(List.of(Tool.ETCD));

    assertThat(directory.resolve("etcd")).hasContent("etcd2");
  }

  @Test
  void aProgramThatWasCutShortIsNotTaken() throws Exception {
    cache(this::build).provide(List.of(Tool.ETCD));
    Files.writeString(directory.resolve("etcd"), "et");

    cache(this::build).provide(List.of(Tool.ETCD));

    assertThat(directory.resolve("etcd")).hasContent("etcd2");
  }

  @Test
  void aProgramWithoutItsStampIsNotTaken() throws Exception {
    Path etcd = Files.writeString(directory.resolve("etcd"), "from somewhere");
    Files.setPosixFilePermissions(etcd, PosixFilePermissions.fromString("rwxr-xr-x"));

    cache(this::build).provide(List.of(Tool.ETCD));

    assertThat(etcd).hasContent("etcd1");
  }

  @Test
  void anInterruptedBuildLeavesNothingThatIsTaken() throws Exception {
    BinaryCache interrupted =
        cache(
            (tool, target) -> {
              write(target, "half");
              throw new InterruptedException();
            });
    assertThatThrownBy(() -> interrupted.provide(List.of(Tool.ETCD)))
        .isInstanceOf(InterruptedException.class);
    assertThat(directory.resolve("etcd")).doesNotExist();

    cache(this::build).provide(List.of(Tool.ETCD));

    assertThat(directory.resolve("etcd")).hasContent("etcd1");
    assertThat(directory).isDirectoryNotContaining("glob:**/*.part");
  }

  @Test
  void theNextSourceIsAskedWhenOneFails() throws Exception {
    cache((tool, target) -> Optional.of("closed"), this::build).provide(List.of(Tool.ETCD));

    assertThat(directory.resolve("etcd")).hasContent("etcd1");
  }

  @Test
  void theReasonOfEverySourceIsTold() {
    BinaryCache cache =
        cache((tool, target) -> Optional.of("closed"), (tool, target) -> Optional.of("no Go"));

    assertThatThrownBy(() -> cache.provide(List.of(Tool.ETCD)))
        .isInstanceOf(ControlPlaneException.class)
        .hasMessageContainingAll("etcd " + Tool.ETCD_VERSION, "closed", "no Go");
  }

  @Test
  void ofTwoAtOnceOneBuildsAndTheOtherSaysThatItWaits() throws Exception {
    CountDownLatch building = new CountDownLatch(1);
    CountDownLatch mayFinish = new CountDownLatch(1);
    BinarySource slow =
        (tool, target) -> {
          building.countDown();
          mayFinish.await();
          return build(tool, target);
        };
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Callable<Path> provide = () -> cache(slow).provide(List.of(Tool.ETCD));
      Future<Path> first = threads.submit(provide);
      assertThat(building.await(10, TimeUnit.SECONDS)).isTrue();
      Future<Path> second = threads.submit(provide);
      await()
          .untilAsserted(
              () ->
                  assertThat(said.toString(StandardCharsets.UTF_8))
                      .contains("waiting for process " + ProcessHandle.current().pid()));
      mayFinish.countDown();

      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(directory);
      assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(directory);
      assertThat(built).hasValue(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void ofThreeProcessesAtOnceOneBuilds() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < Provisioner.PROCESSES; i++) {
      processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Provisioner.class.getName(),
                  directory.toString())
              .inheritIO()
              .start());
    }
    for (Process process : processes) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }

    assertThat(directory.resolve("builds")).hasContent("built\n");
  }

  /** A process that provides a program and writes down when it had to build it. */
  static final class Provisioner {
    static final int PROCESSES = 3;

    private static final String ARRIVED = "arrived-";

    private Provisioner() {}

    private static long arrived(Path directory) throws IOException {
      try (Stream<Path> files = Files.list(directory)) {
        return files.filter(file -> file.getFileName().toString().startsWith(ARRIVED)).count();
      }
    }

    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      Files.createFile(directory.resolve(ARRIVED + ProcessHandle.current().pid()));
      BinarySource counting =
          (tool, target) -> {
            try {
              Files.writeString(
                  directory.resolve("builds"),
                  "built\n",
                  StandardOpenOption.CREATE,
                  StandardOpenOption.APPEND);
              await("the others")
                  .atMost(60, TimeUnit.SECONDS)
                  .until(() -> arrived(directory) == PROCESSES);
              return write(target, "program");
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          };
      Path unused =
          new BinaryCache(directory, tool -> "one", List.of(counting), Progress.onStandardError())
              .provide(List.of(Tool.ETCD));
    }
  }
}
