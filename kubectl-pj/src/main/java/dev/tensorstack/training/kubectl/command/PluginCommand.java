package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.terminal.Ending;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code kubectl pj}. */
@Command(
    name = "kubectl pj",
    description = "See and steer distributed PyTorch jobs: PyTorchTrainingJob and PyTorchJob.",
    versionProvider = PluginVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SubmitCommand.class,
      TopCommand.class,
      LogsCommand.class,
      WhyCommand.class,
      WaitCommand.class,
      HistoryCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      DebugCommand.class,
      ScaleCommand.class,
      ExecCommand.class,
      CompletionCommand.class,
      CompleteCommand.class
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 it could not be done, 2 the command line is wrong;",
      "of wait and exec those of the training and the command, 124 at a time limit."
    })
public final class PluginCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(names = "--version", versionHelp = true, description = "Show the version.")
  private boolean version;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCodes.USAGE;
  }

  /**
   * The command line, ready to be executed.
   *
   * @return the command line
   */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new PluginCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (failure, failed, parsed) -> {
          if (Ending.hasBegun()) {
            return ExitCodes.FAILURE;
          }
          String words = Failures.inWords(failure);
          if (words == null) {
            throw failure;
          }
          failed.getErr().println("error: " + words);
          return ExitCodes.FAILURE;
        });
    return line;
  }
}
