package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.terminal.ColorChoice;
import dev.tensorstack.training.kubectl.terminal.Console;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.util.HashSet;
import java.util.Set;

/** Prints what the API server warns of, as kubectl does: on standard error, each text once. */
final class WarningPrinter {

  private static final String WORD = "Warning:";
  private static final String YELLOW = "\u001b[33;1m";
  private static final String PLAIN = "\u001b[0m";

  private final Console console;
  private final Set<String> printed = new HashSet<>();

  /**
   * A printer.
   *
   * @param console where to
   */
  WarningPrinter(Console console) {
    this.console = console;
  }

  /**
   * Prints a warning.
   *
   * @param warning its text
   */
  synchronized void print(String warning) {
    if (printed.add(warning)) {
      boolean colored =
          ColorChoice.auto.decide(Terminal.is(Terminal.Stream.ERROR), System.getenv());
      console.tell((colored ? YELLOW + WORD + PLAIN : WORD) + " " + warning);
    }
  }
}
