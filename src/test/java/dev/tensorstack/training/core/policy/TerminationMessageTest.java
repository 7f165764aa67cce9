package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

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
        "ValueError: loss is not a number | false",
        "torch.OutOfMemoryError: CUDA out of memory. | false",
        "KeyError | false",
        "RuntimeError: [pair.cc:561] Connection closed by peer [127.0.0.1]:5002. GLHF! | true",
        "torch.distributed.DistBackendError: NCCL error: ncclRemoteError | true",
        "torch.distributed.DistNetworkError: Failed to recv, got 0 bytes | true",
      })
  void theScriptsExceptionIsTold(String exception, boolean lostPeer) {
    TerminationMessage message =
        TerminationMessage.of(TRACEBACK + "[rank1]: " + exception + "\n" + TORCHRUN);
    assertThat(message.summary()).isEqualTo(exception);
    assertThat(message.lostPeer()).isEqualTo(lostPeer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"an error. GLHF! | true", "ss is not a number in step 5 | false", "'' | false"})
  void ofAnExceptionThatIsCutOffTheKindMayBeKnown(String rest, boolean lostPeer) {
    TerminationMessage message = TerminationMessage.of(rest + "\n" + TORCHRUN);
    assertThat(message.summary()).isEqualTo("a process of torchrun failed, its log says why");
    assertThat(message.lostPeer()).isEqualTo(lostPeer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed.",
        "torch.distributed.elastic.rendezvous.api.RendezvousClosedError"
      })
  void anAgentThatLosesTheRendezvousHasLostAPeer(String error) {
    TerminationMessage message =
        TerminationMessage.of("Traceback (most recent call last):\n  File\n" + error + "\n");
    assertThat(message.summary()).isEqualTo(error);
    assertThat(message.lostPeer()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"out of disk, false", "Connection reset by peer, true"})
  void aShortMessageIsToldAsItIs(String text, boolean lostPeer) {
    assertThat(TerminationMessage.of(text + "\n"))
        .isEqualTo(new TerminationMessage(text, lostPeer));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " \n "})
  void nothingSaysNothing(String text) {
    assertThat(TerminationMessage.of(text)).isEqualTo(new TerminationMessage(null, false));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2_000, 1_000_000})
  void ofAnyOtherTextTheLastLineIsTold(int length) {
    TerminationMessage message = TerminationMessage.of("first\n" + "x".repeat(length));
    assertThat(message.summary()).hasSizeLessThanOrEqualTo(1_025).startsWith("x");
  }
}
