package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.api.RemoteCommand;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Ranks;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code exec}. */
@Command(
    name = "exec",
    description = {
      "Run a command in a rank's container: exec JOB --rank 3 -- nvidia-smi.",
      "In a terminal it gets that terminal. Exit code: the command's own."
    })
public final class ExecCommand extends JobCommand {

  @Option(
      names = "--rank",
      paramLabel = "N",
      defaultValue = "0",
      description = "The rank; ${DEFAULT-VALUE} unless given.")
  private int rank;

  @Option(
      names = {"-c", "--container"},
      paramLabel = "NAME",
      description = "The container; the one that trains unless given.")
  private @Nullable String container;

  @Option(
      names = {"-i", "--stdin"},
      description = "Pass standard input on, also when it is no terminal.")
  private boolean input;

  @Option(
      names = {"-t", "--tty"},
      description = "Give it a terminal, also when standard output is none.")
  private boolean tty;

  @Option(names = "--no-tty", description = "Give it no terminal.")
  private boolean noTty;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "After --.")
  private List<String> command = new ArrayList<>();

  @Override
  protected int run(Cluster cluster, Job job) throws InterruptedException {
    RankedPod pod = pod(job, Ranks.current(new Jobs(cluster).pods(job)));
    boolean person = Terminal.is(Terminal.Stream.INPUT) && Terminal.is(Terminal.Stream.OUTPUT);
    boolean terminal = (tty || person) && !noTty;
    RemoteCommand.Request request =
        new RemoteCommand.Request(
            job.namespace(),
            pod.name(),
            container == null ? pod.defaultContainer(job.kind()) : container,
            command,
            input || terminal,
            terminal);
    String settings = terminal && person ? Terminal.raw() : null;
    try (RemoteCommand remote =
        RemoteCommand.start(cluster, request, console.out(), console.err())) {
      if (terminal) {
        Terminal.Size size = Terminal.size();
        remote.resize(size.columns(), size.rows());
        watchSize(remote, size);
      }
      if (request.input()) {
        passInput(remote);
      }
      return remote.await();
    } finally {
      if (settings != null) {
        Terminal.restore(settings);
      }
    }
  }

  private RankedPod pod(Job job, List<RankedPod> pods) {
    for (RankedPod pod : pods) {
      if (pod.rank() == rank) {
        if (pod.phase().equals("Running")) {
          return pod;
        }
        throw new IllegalArgumentException(
            "pod "
                + pod.name()
                + " of rank "
                + rank
                + " does not run ("
                + pod.status()
                + "): kubectl pj why "
                + job.name());
      }
    }
    throw new IllegalArgumentException(
        job.title()
            + " has no pod of rank "
            + rank
            + (pods.isEmpty()
                ? ": it has none at all (kubectl pj why " + job.name() + ")"
                : ", but of " + Ranks.inWords(pods)));
  }

  private void passInput(RemoteCommand remote) {
    daemon(
        "input",
        () -> {
          try {
            remote.passOn(System.in);
          } catch (IOException e) {
            console.tell("standard input: " + e.getMessage());
          }
        });
  }

  private static void watchSize(RemoteCommand remote, Terminal.Size first) {
    daemon(
        "size",
        () -> {
          Terminal.Size last = first;
          while (pause()) {
            Terminal.Size now = Terminal.size();
            if (!now.equals(last)) {
              remote.resize(now.columns(), now.rows());
              last = now;
            }
          }
        });
  }

  /** A JVM is not told when the terminal's size changes. */
  private static boolean pause() {
    try {
      Thread.sleep(1000);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, "exec-" + name);
    thread.setDaemon(true);
    thread.start();
  }
}
