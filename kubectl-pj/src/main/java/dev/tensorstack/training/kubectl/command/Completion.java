package dev.tensorstack.training.kubectl.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What may come next on a command line: a pure function of the words so far.
 *
 * @param words words that begin with what is typed
 * @param typed the word that is being typed, empty at its beginning
 * @param wantsJob whether the name of a job may stand here
 * @param wantsFile whether a file may stand here
 */
record Completion(List<String> words, String typed, boolean wantsJob, boolean wantsFile) {

  /**
   * Completes.
   *
   * @param program the program
   * @param line the words after the program's name; the last one is being typed
   * @return what may come next
   */
  static Completion of(CommandLine program, List<String> line) {
    String typed = line.isEmpty() ? "" : line.get(line.size() - 1);
    CommandLine command = program;
    int positionals = 0;
    OptionSpec waiting = null;
    for (String word : line.subList(0, Math.max(0, line.size() - 1))) {
      if (word.equals("--")) {
        return new Completion(List.of(), typed, false, true);
      }
      if (waiting != null) {
        waiting = null;
      } else if (word.startsWith("-")) {
        waiting = word.contains("=") ? null : optionWithValue(command, word);
      } else if (command == program && program.getSubcommands().containsKey(word)) {
        command = program.getSubcommands().get(word);
      } else {
        positionals++;
      }
    }
    if (waiting != null) {
      return new Completion(
          candidates(waiting.completionCandidates(), typed),
          typed,
          false,
          List.of("--kubeconfig").contains(waiting.longestName()));
    }
    List<String> words = new ArrayList<>();
    if (typed.startsWith("-")) {
      options(command, typed, words);
      return new Completion(words, typed, false, false);
    }
    if (command == program) {
      subcommands(program, typed, words);
      return new Completion(words, typed, false, false);
    }
    return positional(command, positionals, typed);
  }

  private static Completion positional(CommandLine command, int index, String typed) {
    for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
      if (parameter.index().contains(index)) {
        return new Completion(
            candidates(parameter.completionCandidates(), typed),
            typed,
            parameter.paramLabel().equals("JOB"),
            parameter.paramLabel().equals("SCRIPT"));
      }
    }
    return new Completion(List.of(), typed, false, false);
  }

  private static void subcommands(CommandLine program, String typed, List<String> words) {
    program
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (name.startsWith(typed) && !command.getCommandSpec().usageMessage().hidden()) {
                String[] description = command.getCommandSpec().usageMessage().description();
                words.add(name + "\t" + (description.length == 0 ? "" : description[0]));
              }
            });
  }

  private static void options(CommandLine command, String typed, List<String> words) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      for (String name : option.names()) {
        if (name.startsWith("--") && name.startsWith(typed) && !name.contains("_")) {
          String[] description = option.description();
          words.add(name + "\t" + (description.length == 0 ? "" : description[0]));
        }
      }
    }
  }

  private static @Nullable OptionSpec optionWithValue(CommandLine command, String name) {
    OptionSpec option = command.getCommandSpec().findOption(name);
    return option == null || option.arity().max() == 0 ? null : option;
  }

  private static List<String> candidates(@Nullable Iterable<String> all, String typed) {
    List<String> fitting = new ArrayList<>();
    if (all != null) {
      for (String one : all) {
        if (one.toLowerCase(Locale.ROOT).startsWith(typed.toLowerCase(Locale.ROOT))) {
          fitting.add(one);
        }
      }
    }
    return fitting;
  }
}
