package dev.tensorstack.training.kubectl.why;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LogExcerptTest {

  private static final String REPORT =
      """
      E1127 16:54:46.001000 19404 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 19809) of binary: /usr/bin/python
      Traceback (most recent call last):
        File "/usr/bin/torchrun", line 8, in <module>
      ============================================================
      """;

  @Test
  void whatTheTrainingSaidComesBeforeTorchrunsReport() {
    String log =
        """
        epoch 1
        Traceback (most recent call last):
        RuntimeError: loss is not finite
        W1127 16:54:45.900000 19404 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 19808 closing signal SIGTERM
        """
            + REPORT;
    LogExcerpt excerpt = LogExcerpt.of(log, 2);
    assertThat(excerpt.lines())
        .containsExactly("Traceback (most recent call last):", "RuntimeError: loss is not finite");
    assertThat(excerpt.cut()).isTrue();
  }

  @Test
  void aReportAloneIsShown() {
    LogExcerpt excerpt = LogExcerpt.of(REPORT, 2);
    assertThat(excerpt.lines()).hasSize(2).last().asString().startsWith("====");
    assertThat(excerpt.cut()).isFalse();
  }

  @Test
  void anyOtherLogEndsAsItEnds() {
    assertThat(LogExcerpt.of("a\nb\nc\n", 2)).isEqualTo(new LogExcerpt(List.of("b", "c"), false));
    assertThat(LogExcerpt.of("", 2).lines()).isEmpty();
  }
}
