package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.terminal.Console;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code completion}. */
@Command(
    name = "completion",
    description = {
      "Print a script that completes this program's command line.",
      "kubectl: the program kubectl_complete-pj, which kubectl asks for kubectl pj TAB, with the"
          + " names of jobs. bash, zsh: for kubectl-pj itself."
    })
public final class CompletionCommand implements Callable<Integer> {

  private static final String FOR_KUBECTL =
      """
      #!/usr/bin/env sh
      # kubectl runs this for the completion of "kubectl pj". Save it as kubectl_complete-pj in a
      # folder of PATH, and make it executable.
      exec kubectl-pj __complete "$@"
      """;

  /** Who reads the script. */
  enum Shell {
    bash,
    zsh,
    kubectl
  }

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Parameters(index = "0", paramLabel = "SHELL", description = "bash, zsh or kubectl.")
  private Shell shell = Shell.bash;

  @Override
  public Integer call() {
    String script =
        shell == Shell.kubectl
            ? FOR_KUBECTL
            // It switches zsh's emulation of bash on by itself.
            : AutoComplete.bash("kubectl-pj", PluginCommand.commandLine());
    Console console = Console.standard();
    console.out().print(script);
    console.out().flush();
    return ExitCodes.OK;
  }
}
