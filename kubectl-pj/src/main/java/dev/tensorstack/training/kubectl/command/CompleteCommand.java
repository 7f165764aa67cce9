package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Connection;
import dev.tensorstack.training.kubectl.api.CredentialException;
import dev.tensorstack.training.kubectl.api.Jobs;
import dev.tensorstack.training.kubectl.terminal.Console;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code __complete}: what kubectl asks through {@code kubectl_complete-pj}. */
@Command(name = "__complete", hidden = true, description = "Words that may come next.")
public final class CompleteCommand implements Callable<Integer> {

  @Unmatched private List<String> words = new ArrayList<>();

  @Override
  public Integer call() {
    Console console = Console.standard();
    Completion completion = Completion.of(PluginCommand.commandLine(), words);
    completion.words().forEach(console::print);
    if (completion.wantsJob()) {
      jobs(completion.typed(), connection(words)).forEach(console::print);
    }
    // Cobra's directive: 4 no files, 0 files as well.
    console.print(completion.wantsFile() ? ":0" : ":4");
    return ExitCodes.OK;
  }

  private static List<String> jobs(String typed, Connection connection) {
    try (Cluster cluster = Cluster.connect(connection, warning -> {})) {
      return new Jobs(cluster)
          .list(cluster.namespace()).stream()
              .flatMap(
                  job ->
                      typed.contains("/")
                          ? Stream.of(job.kind().word() + "/" + job.name())
                          : Stream.of(job.name()))
              .filter(name -> name.startsWith(typed))
              .distinct()
              .toList();
    } catch (ApiException | CredentialException | IllegalArgumentException nothingToOffer) {
      return List.of();
    }
  }

  private static Connection connection(List<String> words) {
    String namespace = null;
    String context = null;
    String kubeconfig = null;
    for (int i = 0; i < words.size(); i++) {
      namespace = value(words, i, namespace, "-n", "--namespace");
      context = value(words, i, context, "--context");
      kubeconfig = value(words, i, kubeconfig, "--kubeconfig");
    }
    return new Connection(kubeconfig, context, namespace, null);
  }

  private static @Nullable String value(
      List<String> words, int index, @Nullable String before, String... options) {
    for (String option : options) {
      if (words.get(index).equals(option) && index + 1 < words.size()) {
        return words.get(index + 1);
      }
      if (words.get(index).startsWith(option + "=")) {
        return words.get(index).substring(option.length() + 1);
      }
    }
    return before;
  }
}
