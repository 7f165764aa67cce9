package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TracebacksTest {

  private static final String BEGIN =
      "Traceback (most recent call last):\n  File \"t.py\", line 1\n";

  @Test
  void theLastLineOfATracebackIsTheException() {
    assertThat(Tracebacks.in("loss 1.0\n" + BEGIN + "ValueError: no data\nbye\n"))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.first()).isEqualTo("ValueError: no data");
              assertThat(one.last()).isEqualTo("ValueError: no data");
              assertThat(one.rank()).isNull();
            });
  }

  @Test
  void whatBeganAChainIsTold() {
    assertThat(
            Tracebacks.in(
                BEGIN
                    + "KeyError: 'lr'\n\nDuring handling of the above exception, another exception"
                    + " occurred:\n\n"
                    + BEGIN
                    + "RuntimeError: bad configuration\n"))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.first()).isEqualTo("KeyError: 'lr'");
              assertThat(one.last()).isEqualTo("RuntimeError: bad configuration");
            });
  }

  @Test
  void processesThatWriteAtOnceAreKeptApart() {
    String text =
        """
        [rank1]: Traceback (most recent call last):
        [rank0]: Traceback (most recent call last):
        [rank1]:   File "t.py", line 1
        [rank1]: ValueError: no data
        [rank0]: RuntimeError: Connection closed by peer
        """;

    assertThat(Tracebacks.in(text))
        .extracting(one -> one.rank() + " " + one.last())
        .containsExactly("1 ValueError: no data", "0 RuntimeError: Connection closed by peer");
  }

  @Test
  void withoutItsBeginningAnExceptionIsKnownByItsName() {
    assertThat(Tracebacks.in("    step()\ntorch.cuda.OutOfMemoryError: CUDA out of memory\n"))
        .extracting(Tracebacks.Exception::last)
        .containsExactly("torch.cuda.OutOfMemoryError: CUDA out of memory");
    assertThat(Tracebacks.in("epoch: 1\nnote: all is well\n")).isEmpty();
  }

  @Test
  void torchrunsOwnAreTold() {
    List<Tracebacks.Exception> found =
        Tracebacks.in(
            BEGIN + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n");

    assertThat(found).singleElement().matches(Tracebacks.Exception::ofTorchrun);
  }
}
