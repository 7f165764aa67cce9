package dev.tensorstack.training.tryout;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs commands as processes of this machine. */
final class ProcessCommandRunner implements CommandRunner {

  @Override
  public Result run(List<String> command, Duration timeout)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    // An interrupted JVM (Ctrl-C) must not leave an installation running behind.
    Thread endWithTheJvm = new Thread(() -> destroy(process));
    Runtime.getRuntime().addShutdownHook(endWithTheJvm);
    try {
      process.getOutputStream().close();
      CompletableFuture<String> output =
          CompletableFuture.supplyAsync(() -> readAll(process), task -> daemon(task).start());
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        destroy(process);
        return new Result(
            -1, finished(output) + "\nended: not done after " + timeout.toSeconds() + " s");
      }
      return new Result(process.exitValue(), finished(output));
    } finally {
      destroy(process);
      try {
        Runtime.getRuntime().removeShutdownHook(endWithTheJvm);
      } catch (IllegalStateException shuttingDown) {
        // The hook is running already and does what is needed.
      }
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "command-output");
    thread.setDaemon(true);
    return thread;
  }

  private static String readAll(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A grandchild may hold the pipe open after the process has ended: do not wait for it. */
  private static String finished(CompletableFuture<String> output) throws InterruptedException {
    try {
      return output.get(5, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return "(output lost: " + e + ")";
    }
  }

  private static void destroy(Process process) {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      // Not by the Process itself, which closes the output before it is read.
      process.toHandle().destroyForcibly();
    }
  }
}
