package dev.tensorstack.training.kubectl.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** The packaged plugin, binary or jar, as a user's shell runs it. */
final class Plugin {

  private static final long LIMIT_SECONDS = 120;

  private final Path kubeconfig;
  private final Path folder;
  private static final AtomicInteger RUNS = new AtomicInteger();

  Plugin(Path kubeconfig, Path folder) {
    this.kubeconfig = kubeconfig;
    this.folder = folder;
  }

  /** What a command left. */
  record Result(int code, String out, String err) {

    /** Insists that it was done. */
    String done() {
      assertThat(code).as(err).isZero();
      return out;
    }
  }

  /** A command that runs. */
  final class Running implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    private Running(Process process, Path out, Path err) {
      this.process = process;
      this.out = out;
      this.err = err;
    }

    String out() {
      return read(out);
    }

    /** Waits until standard output holds a text. */
    void awaitOut(String text) {
      Awaitility.await(text)
          .atMost(LIMIT_SECONDS, TimeUnit.SECONDS)
          .until(() -> out().contains(text) || !process.isAlive());
      assertThat(out()).as(read(err)).contains(text);
    }

    /** Waits until standard error holds a text. */
    void awaitErr(String text) {
      Awaitility.await(text)
          .atMost(LIMIT_SECONDS, TimeUnit.SECONDS)
          .until(() -> read(err).contains(text) || !process.isAlive());
      assertThat(read(err)).as(out()).contains(text);
    }

    /** Waits for its end. */
    Result result() throws InterruptedException {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as(read(err)).isTrue();
      return new Result(process.exitValue(), out(), read(err));
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a command. */
  Running start(String... arguments) {
    List<String> command = new ArrayList<>();
    String binary = System.getProperty("plugin.binary");
    if (binary == null) {
      command.addAll(
          List.of(
              ProcessHandle.current().info().command().orElse("java"),
              "-XX:TieredStopAtLevel=1",
              "-jar",
              System.getProperty("plugin.jar", "")));
    } else {
      command.add(binary);
    }
    command.addAll(List.of(arguments));
    try {
      int run = RUNS.incrementAndGet();
      Path out = folder.resolve("out-" + run);
      Path err = folder.resolve("err-" + run);
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("KUBECONFIG", kubeconfig.toString());
      builder.redirectOutput(out.toFile());
      builder.redirectError(err.toFile());
      Process process = builder.start();
      process.getOutputStream().close();
      return new Running(process, out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a command to its end. */
  Result run(String... arguments) throws InterruptedException {
    try (Running running = start(arguments)) {
      return running.result();
    }
  }
}
