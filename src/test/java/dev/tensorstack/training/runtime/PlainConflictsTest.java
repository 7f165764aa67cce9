package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlainConflictsTest {

  private static final String FAILED_LOOK =
      "Uncaught error during event processing ExecutionScope{} - but another reconciliation follows";

  private final Logger own = Logger.getLogger(PlainConflicts.class.getName());
  private final List<LogRecord> told = new ArrayList<>();
  private final PlainConflicts filter = new PlainConflicts();

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord one) {
          told.add(one);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    own.addHandler(handler);
    MDC.put("resource.namespace", "team");
    MDC.put("resource.name", "mnist");
  }

  @AfterEach
  void stop() {
    own.removeHandler(handler);
    MDC.clear();
  }

  private static KubernetesClientException answer(int code, String message) {
    return new KubernetesClientException(
        "Failure executing: PUT. Message: " + message + ". Received status: Status(code=" + code,
        code,
        new Status());
  }

  private boolean isLoggable(String message, @Nullable Throwable thrown) {
    LogRecord one = new LogRecord(Level.WARNING, message);
    one.setThrown(thrown);
    return filter.isLoggable(one);
  }

  @Test
  void aConflictIsOneLineWithTheNameOfTheJob() {
    assertThat(isLoggable(FAILED_LOOK, new OperatorException(answer(409, "it was modified"))))
        .isFalse();

    assertThat(told)
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.getThrown()).isNull();
              assertThat(one.getLevel().intValue()).isEqualTo(Level.INFO.intValue());
              assertThat(text(one))
                  .isEqualTo(
                      "job team/mnist has changed meanwhile and is looked at again:"
                          + " Failure executing: PUT. Message: it was modified.");
            });
  }

  @Test
  void anObjectThatIsGoneIsOneLineAndStaysAWarning() {
    assertThat(isLoggable(FAILED_LOOK, answer(404, "pods \"a\" not found"))).isFalse();

    assertThat(told)
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.getThrown()).isNull();
              assertThat(one.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
              assertThat(text(one)).contains("team/mnist", "pods \"a\" not found");
            });
  }

  @Test
  void allElseIsToldAsItWas() {
    assertThat(isLoggable(FAILED_LOOK, new OperatorException(new NullPointerException()))).isTrue();
    assertThat(isLoggable(FAILED_LOOK, answer(403, "forbidden"))).isTrue();
    assertThat(isLoggable(FAILED_LOOK, answer(500, "etcd is away"))).isTrue();
    assertThat(isLoggable("Error during event processing", answer(409, "modified"))).isTrue();
    assertThat(isLoggable(FAILED_LOOK, null)).isTrue();
    assertThat(told).isEmpty();
  }

  private static String text(LogRecord one) {
    return one instanceof org.jboss.logmanager.ExtLogRecord record
        ? record.getFormattedMessage()
        : one.getMessage();
  }
}
