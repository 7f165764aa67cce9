package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that talks to a cluster. */
public abstract class ClusterCommand implements Callable<Integer> {

  /** Where output goes. */
  protected final Console console = Console.standard();

  @Mixin private final ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Override
  public Integer call() throws Exception {
    try (Cluster cluster =
        Cluster.connect(connection.connection(), new WarningPrinter(console)::print)) {
      return run(cluster);
    }
  }

  /**
   * Does it.
   *
   * @param cluster the cluster, closed afterwards
   * @return the exit code
   * @throws Exception as {@link Failures} understands it
   */
  protected abstract int run(Cluster cluster) throws Exception;
}
