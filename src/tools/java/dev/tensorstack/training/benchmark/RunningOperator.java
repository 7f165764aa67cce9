package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.operator.OperatorProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * An operator under test, with what it uses.
 *
 * @param kind as which program it runs
 * @param namespace where it works
 * @param user its name in the audit log
 * @param process the process
 * @param usage what the process uses
 */
record RunningOperator(
    OperatorKind kind, String namespace, String user, OperatorProcess process, ProcessUsage usage)
    implements RunningProgram {

  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final String READY = "/q/health/ready";
  private static final int OK = 200;

  /** Starts one that works in a namespace, and waits until it is ready. */
  static RunningOperator start(
      OperatorKind kind, BenchmarkAccount account, String namespace, Map<String, String> settings) {
    RunningOperator operator = launch(kind, account, namespace, settings);
    try {
      org.awaitility.Awaitility.await("the operator is ready; log: " + operator.process.log())
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> !operator.process.isAlive() || operator.process.get(READY).statusCode() == OK);
      if (!operator.process.isAlive()) {
        throw new IllegalStateException("the operator ended; log: " + operator.process.log());
      }
      return operator;
    } catch (RuntimeException problem) {
      operator.close();
      throw problem;
    }
  }

  /**
   * Starts one without waiting.
   *
   * @param namespace where it works; empty for everywhere
   */
  static RunningOperator launch(
      OperatorKind kind, BenchmarkAccount account, String namespace, Map<String, String> settings) {
    Map<String, String> environment = new HashMap<>(settings);
    if (!namespace.isEmpty()) {
      environment.put("OPERATOR_WATCH_NAMESPACES", namespace);
    }
    OperatorProcess process =
        OperatorProcess.launch(account.kubeconfig(), environment, kind.program());
    org.awaitility.Awaitility.await("the operator's process; log: " + process.log())
        .ignoreExceptions()
        .until(() -> process.pid() > 0);
    return new RunningOperator(
        kind, namespace, account.user(), process, new ProcessUsage(process.pid()));
  }

  @Override
  public String client() {
    return kind.title();
  }

  @Override
  public Path log() {
    return process.log();
  }

  @Override
  public void close() {
    process.close();
  }
}
