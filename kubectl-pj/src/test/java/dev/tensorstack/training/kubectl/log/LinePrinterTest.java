package dev.tensorstack.training.kubectl.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinePrinterTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void prefixesAreAsWideAsTheWidest() {
    LinePrinter printer = new LinePrinter(out, true, false, 2, 9);
    printer.print(printer.prefix(3, "worker-2"), "loss 1.5".getBytes(UTF_8));
    printer.print(printer.prefix(11, "worker-10"), "loss 1.4".getBytes(UTF_8));
    assertThat(out.toString(UTF_8)).isEqualTo(" 3 worker-2  | loss 1.5\n11 worker-10 | loss 1.4\n");
  }

  @Test
  void oneRankAloneHasNoPrefix() {
    LinePrinter printer = new LinePrinter(out, false, true, 1, 8);
    printer.print(printer.prefix(0, "worker-0"), "loss".getBytes(UTF_8));
    assertThat(out.toString(UTF_8)).isEqualTo("loss\n");
  }

  @Test
  void coloursAreOfThePrefixOnly() {
    LinePrinter printer = new LinePrinter(out, true, true, 1, 8);
    assertThat(printer.prefix(0, "worker-0")).isEqualTo("\u001b[36m0 worker-0 | \u001b[0m");
    assertThat(printer.prefix(12, "worker-0")).startsWith("\u001b[36m");
  }

  @Test
  void linesOfManyThreadsAreNeverTorn() throws InterruptedException {
    LinePrinter printer = new LinePrinter(out, true, false, 2, 9);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      String prefix = printer.prefix(i, "worker-" + i);
      byte[] line = ("x" + i).repeat(50).getBytes(UTF_8);
      threads.add(
          new Thread(
              () -> {
                for (int n = 0; n < 50; n++) {
                  printer.print(prefix, line);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    List<String> lines = out.toString(UTF_8).lines().toList();
    assertThat(lines).hasSize(64 * 50);
    assertThat(lines)
        .allSatisfy(
            line -> {
              String rank = line.strip().split(" ", 2)[0];
              assertThat(line).endsWith("| " + ("x" + rank).repeat(50));
            });
  }

  @Test
  void itKnowsWhenNobodyReads() {
    LinePrinter printer =
        new LinePrinter(
            new OutputStream() {
              @Override
              public void write(int one) throws IOException {
                throw new IOException("broken pipe");
              }
            },
            false,
            false,
            1,
            1);
    assertThat(printer.isBroken()).isFalse();
    printer.print("", new byte[0]);
    assertThat(printer.isBroken()).isTrue();
  }
}
