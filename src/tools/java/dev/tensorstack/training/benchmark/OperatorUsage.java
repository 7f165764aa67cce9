package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.operator.OperatorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the operator's process uses. */
final class OperatorUsage {

  private static final int KIB = 1024;
  private static final int TRIES = 3;
  private static final int TIMEOUT_SECONDS = 5;

  private static final Pattern RECONCILIATIONS =
      Pattern.compile(
          "(?m)^operator_sdk_controllers_execution_reconcile_success_total\\{.*} ([0-9.E]+)$");

  private final OperatorProcess operator;
  private final ProcessHandle process;

  private OperatorUsage(OperatorProcess operator, ProcessHandle process) {
    this.operator = operator;
    this.process = process;
  }

  /** What an operator uses that runs. */
  static OperatorUsage of(OperatorProcess operator) {
    return new OperatorUsage(operator, ProcessHandle.of(operator.pid()).orElseThrow());
  }

  long pid() {
    return process.pid();
  }

  /** The CPU time since its start; this is a fresh look at each call. */
  Duration cpu() {
    return ProcessHandle.of(process.pid())
        .flatMap(now -> now.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  /** How often it has looked at jobs since its start, from its metrics. */
  int reconciliations() {
    Matcher matcher = RECONCILIATIONS.matcher(metrics());
    double sum = 0;
    while (matcher.find()) {
      sum += Double.parseDouble(matcher.group(1));
    }
    return (int) sum;
  }

  /** The answer sometimes never ends, with HTTP/2 by upgrade; then it is asked for again. */
  private String metrics() {
    for (int i = 0; i < TRIES; i++) {
      try {
        return CompletableFuture.supplyAsync(() -> operator.get("/q/metrics").body())
            .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .join();
      } catch (CompletionException noEnd) {
        // asked again
      }
    }
    return "";
  }

  /** The resident memory, 0 where the system does not tell it in {@code /proc}. */
  long memoryMiB() throws IOException {
    return statusMiB("VmRSS:");
  }

  /** The most resident memory since the start, 0 where the system does not tell it. */
  long peakMemoryMiB() throws IOException {
    return statusMiB("VmHWM:");
  }

  private long statusMiB(String name) throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (!Files.exists(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / KIB)
        .findFirst()
        .orElse(0);
  }
}
