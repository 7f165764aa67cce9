package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.FailureText.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminationMessageTest {

  /** The end of a log of torchrun 2.15, from the line on that it writes about a failed process. */
  private static final String TORCHRUN =
      """
      E1123 11:03:10.636000 23882 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 0 (pid: 23951) of binary: /usr/bin/python
      Traceback (most recent call last):
        File "/usr/local/bin/torchrun", line 8, in <module>
          sys.exit(main())
      torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
      ============================================================
      train.py FAILED
      ------------------------------------------------------------
      Root Cause (first observed failure):
      [0]:
        exitcode  : 1 (pid: 23951)
        error_file: <N/A>
        traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
      ============================================================
      """;

  private static final String TRACEBACK =
      "[rank1]: Traceback (most recent call last):\n"
          + "[rank1]:   File \"/train.py\", line 7, in <module>\n";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ValueError: loss is not a number | OWN",
        "torch.OutOfMemoryError: CUDA out of memory. | OWN",
        "KeyError | OWN",
        "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:5002. GLHF! | CONSEQUENCE",
        "torch.distributed.DistBackendError: NCCL error: ncclRemoteError | CONSEQUENCE",
        "torch.distributed.DistNetworkError: Failed to recv, got 0 bytes | CONSEQUENCE",
        "torch.distributed.DistNetworkError: The server socket has failed to listen | OWN",
      })
  void theScriptsExceptionIsTold(String exception, Origin origin) {
    FailureText message =
        TerminationMessage.of(TRACEBACK + "[rank1]: " + exception + "\n" + TORCHRUN);
    assertThat(message.summary()).isEqualTo(exception);
    assertThat(message.origin()).isEqualTo(origin);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "an error. GLHF! | CONSEQUENCE",
        "ss is not a number in step 5 | UNKNOWN",
        "'' | UNKNOWN"
      })
  void ofAnExceptionThatIsCutOffTheKindMayBeKnown(String rest, Origin origin) {
    FailureText message = TerminationMessage.of(rest + "\n" + TORCHRUN);
    assertThat(message.summary()).isEqualTo("a process of torchrun failed, its log says why");
    assertThat(message.origin()).isEqualTo(origin);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed.",
        "torch.distributed.elastic.rendezvous.api.RendezvousClosedError",
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got signal: 15"
      })
  void anAgentThatLosesTheRendezvousHasLostAPeer(String error) {
    FailureText message =
        TerminationMessage.of("Traceback (most recent call last):\n  File\n" + error + "\n");
    assertThat(message.summary()).isEqualTo(error);
    assertThat(message.origin()).isEqualTo(Origin.CONSEQUENCE);
  }

  @ParameterizedTest
  @CsvSource({"out of disk, OWN", "Connection reset by peer, CONSEQUENCE"})
  void aShortMessageIsToldAsItIs(String text, Origin origin) {
    assertThat(TerminationMessage.of(text + "\n")).isEqualTo(new FailureText(text, origin, null));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " \n "})
  void nothingSaysNothing(String text) {
    assertThat(TerminationMessage.of(text)).isEqualTo(new FailureText(null, Origin.OWN, null));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2_000, 1_000_000})
  void ofAnyOtherTextTheLastLineIsTold(int length) {
    FailureText message = TerminationMessage.of("first\n" + "x".repeat(length));
    assertThat(message.summary()).hasSizeLessThanOrEqualTo(1_025).startsWith("x");
  }

  /** Of which a kubelet tells no more than the end. */
  private static final Path LOGS = Path.of("src/test/resources/torchrun");

  private static final int TOLD = 2_048;
  private static final String BAD = "ValueError: loss is not a number in step 1";

  private static String log(String name) throws IOException {
    return Files.readString(LOGS.resolve(name + ".log"));
  }

  private static String end(String log) {
    byte[] bytes = log.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(TOLD, bytes.length);
    return new String(bytes, bytes.length - length, length, StandardCharsets.UTF_8);
  }

  /** Logs of torchrun 2.15: what the kubelet tells of them is enough, or at least not wrong. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one-process-failed            | OWN         | ValueError: loss is not a number in step 1",
        "one-process-lost-peer         | CONSEQUENCE | RuntimeError: [/__w/pytorch",
        "two-processes-failed          | UNKNOWN     | a process of torchrun failed",
        "two-processes-failed-on-worker| UNKNOWN     | a process of torchrun failed",
        "two-processes-lost-peer       | UNKNOWN     | a process of torchrun failed",
        "two-processes-lost-rendezvous | CONSEQUENCE | torch.distributed.elastic.rendezvous.api.Rendezvous",
        "recorded-failed               | OWN         | ValueError: loss is not a number in step 1",
        "recorded-lost-peer            | CONSEQUENCE | RuntimeError: [/__w/pytorch",
        "killed                        | OWN         | a process of torchrun was ended by signal 9",
        "killed-lost-rendezvous        | CONSEQUENCE | torch.distributed.elastic.rendezvous.api.Rendezvous",
        "failed-before-group           | UNKNOWN     | a process of torchrun failed",
      })
  void theEndOfARealLogIsUnderstood(String name, Origin origin, String summary) throws IOException {
    FailureText message = TerminationMessage.of(end(log(name)));
    assertThat(message.origin()).isEqualTo(origin);
    assertThat(message.summary()).startsWith(summary);
  }

  /** The whole log tells more: what the processes wrote before torchrun's report. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one-process-failed            | OWN         | ValueError: loss is not a number in step 1",
        "one-process-lost-peer         | CONSEQUENCE | RuntimeError: [/__w/pytorch",
        "two-processes-failed          | OWN         | ValueError: loss is not a number in step 1",
        "two-processes-failed-on-worker| OWN         | ValueError: loss is not a number in step 1",
        "two-processes-lost-peer       | CONSEQUENCE | RuntimeError: [/__w/pytorch",
        "two-processes-lost-rendezvous | CONSEQUENCE | torch.distributed.elastic.rendezvous.api.Rendezvous",
        "recorded-failed               | OWN         | ValueError: loss is not a number in step 1",
        "recorded-lost-peer            | CONSEQUENCE | RuntimeError: [/__w/pytorch",
        "killed                        | OWN         | a process of torchrun was ended by signal 9",
        "killed-lost-rendezvous        | CONSEQUENCE | torch.distributed.elastic.rendezvous.api.Rendezvous",
        "failed-before-group           | OWN         | ImportError: no module data",
        "two-processes-chained         | OWN         | RuntimeError: epoch 3 failed",
        "two-processes-crashed         | OWN         | ValueError: the loss of master-0/0",
        "restarted-failed              | OWN         | ValueError: loss is not a number in step 1",
        "restarted-lost-rendezvous     | CONSEQUENCE | torch.distributed.elastic.rendezvous.api.Rendezvous",
      })
  void aRealLogIsUnderstood(String name, Origin origin, String summary) throws IOException {
    FailureText message = TerminationMessage.of(log(name));
    assertThat(message.origin()).isEqualTo(origin);
    assertThat(message.summary()).startsWith(summary);
  }

  /** With many processes the report alone is longer than what a kubelet tells. */
  @Test
  void aReportWhoseBeginningIsCutOffIsKnownAsOne() throws IOException {
    String log = log("two-processes-failed");
    FailureText message = TerminationMessage.of(log.substring(log.indexOf("Failures:")));
    assertThat(message.origin()).isEqualTo(Origin.UNKNOWN);
    assertThat(message.summary()).startsWith("a process of torchrun failed");
    assertThat(message.failedAt()).isNotNull();
  }

  @Test
  void torchrunsReportSaysWhenTheFirstProcessFailed() throws IOException {
    LocalDateTime time = LocalDateTime.parse("2026-11-24T10:30:31");
    assertThat(TerminationMessage.of(end(log("one-process-failed"))).failedAt()).isEqualTo(time);
    assertThat(TerminationMessage.of(TORCHRUN).failedAt()).isNull();
  }

  /** The agent's connection to the master's store may be gone before it sees its process fail. */
  @Test
  void aProcessThatFailedByItselfIsToldThoughItsAgentLostTheRendezvous() throws IOException {
    String text = TRACEBACK + "[rank1]: " + BAD + "\n" + log("two-processes-lost-rendezvous");
    assertThat(TerminationMessage.of(text)).isEqualTo(new FailureText(BAD, Origin.OWN, null));
  }

  /** The others have given up, so that its agent cannot start it again. */
  @Test
  void aProcessThatFailedByItselfIsToldThoughItsAgentMeetsNobodyAnyMore() throws IOException {
    String text = log("restarted-lost-rendezvous");
    int failed = text.lastIndexOf("E1124");
    assertThat(
            TerminationMessage.of(
                text.substring(0, failed)
                    + TRACEBACK
                    + "[rank1]: "
                    + BAD
                    + "\n"
                    + text.substring(failed)))
        .isEqualTo(new FailureText(BAD, Origin.OWN, null));
  }

  /** Its agent has started it again; how it ends later is not written there. */
  @Test
  void aLossThatAnAgentHasSurvivedIsOver() {
    String lost =
        TRACEBACK
            + "[rank1]: RuntimeError: Connection closed by peer\n"
            + TORCHRUN.lines().findFirst().orElseThrow();
    assertThat(TerminationMessage.of(lost + "\nepoch 7: loss 0.3\n").origin())
        .isEqualTo(Origin.OWN);
  }

  /** torchrun's own restarts: the earlier end is told in the same log. */
  @Test
  void whatAnEarlierStartEndedWithIsOver() throws IOException {
    String before =
        TRACEBACK + "[rank1]: " + BAD + "\n" + TORCHRUN.lines().findFirst().orElseThrow();
    FailureText message = TerminationMessage.of(before + "\n" + log("one-process-lost-peer"));
    assertThat(message.origin()).isEqualTo(Origin.CONSEQUENCE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // what began it | what it ended with | who | what is told
        "KeyError: 'label' | RuntimeError: epoch 3 failed | OWN | RuntimeError: epoch 3 failed",
        "RuntimeError: Connection closed by peer | RuntimeError: epoch 3 failed | CONSEQUENCE | RuntimeError: epoch 3 failed",
        "KeyError: 'label' | RuntimeError: Connection closed by peer | OWN | KeyError: 'label'",
      })
  void ofChainedExceptionsTheFirstDecides(String first, String last, Origin origin, String told) {
    String text =
        TRACEBACK
            + "[rank1]: "
            + first
            + "\n\n[rank1]: During handling of the above exception, another exception occurred:\n\n"
            + TRACEBACK
            + "[rank1]: "
            + last
            + "\n"
            + TORCHRUN;
    assertThat(TerminationMessage.of(text)).isEqualTo(new FailureText(told, origin, null));
  }

  /**
   * A process may crash after an exception of either kind, while Python takes it apart; and one
   * that is told to stop by its agent is not what made it fail.
   */
  @ParameterizedTest
  @CsvSource({"9, OWN", "11, UNKNOWN", "6, UNKNOWN", "15, CONSEQUENCE"})
  void whatASignalTellsDependsOnWhoSendsIt(int signal, Origin origin) {
    String text = TORCHRUN.replace("exitcode  : 1", "exitcode  : -" + signal);
    assertThat(TerminationMessage.of(text).origin()).isEqualTo(origin);
    assertThat(TerminationMessage.of(text).summary()).endsWith("signal " + signal);
    String bad = TRACEBACK + "[rank1]: " + BAD + "\nterminate called without an exception\n";
    assertThat(TerminationMessage.of(bad + text).summary()).isEqualTo(BAD);
    String lost = TRACEBACK + "[rank1]: RuntimeError: Connection closed by peer\n";
    text = text.replace("  exitcode", "  rank      : 1 (local_rank: 0)\n  exitcode");
    assertThat(TerminationMessage.of(lost + text).origin()).isEqualTo(Origin.CONSEQUENCE);
  }

  /**
   * The memory of the node is short: the warnings of its store, and its neighbour's, say nothing.
   */
  @Test
  void aProcessThatWasKilledIsNoConsequenceOfWhatOthersSay() {
    String text =
        TORCHRUN.replace("exitcode  : 1", "rank      : 1 (local_rank: 1)\n  exitcode  : -9");
    String others =
        "[W] sendBytes failed: Broken pipe\n"
            + TRACEBACK.replace("rank1", "rank0")
            + "[rank0]: RuntimeError: Connection closed by peer\n";
    assertThat(TerminationMessage.of(others + text).origin()).isEqualTo(Origin.OWN);
    assertThat(TerminationMessage.of(others + text).summary()).endsWith("signal 9");
  }

  @Test
  void whatNcclsWatchdogAbortsHasWaitedForAPeer() {
    String text = TORCHRUN.replace("exitcode  : 1", "exitcode  : -6");
    String watchdog = "[E] Watchdog caught collective operation timeout: …\n";
    assertThat(TerminationMessage.of(watchdog + text).origin()).isEqualTo(Origin.CONSEQUENCE);
  }

  /** What was handled long before the end is not why it ended. */
  @Test
  void anExceptionThatTheScriptHasLoggedIsNotItsEnd() throws IOException {
    String handled = "Traceback (most recent call last):\n  File \"a\"\nOSError: try again\n";
    String text = handled + "step 1\n".repeat(1_000) + log("one-process-lost-peer");
    assertThat(TerminationMessage.of(text).origin()).isEqualTo(Origin.CONSEQUENCE);
  }
}
