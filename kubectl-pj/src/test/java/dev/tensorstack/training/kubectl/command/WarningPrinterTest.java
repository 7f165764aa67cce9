package dev.tensorstack.training.kubectl.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.terminal.Console;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class WarningPrinterTest {

  @Test
  void aTextIsPrintedOnceOnStandardError() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    WarningPrinter printer =
        new WarningPrinter(
            new Console(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8)));
    printer.print("old spelling");
    printer.print("old spelling");
    printer.print("another");
    assertThat(err.toString(UTF_8).replaceAll("\u001b\\[[0-9;]*m", ""))
        .isEqualTo("Warning: old spelling\nWarning: another\n");
    assertThat(out.toString(UTF_8)).isEmpty();
  }
}
