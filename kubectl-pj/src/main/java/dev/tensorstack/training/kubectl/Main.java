package dev.tensorstack.training.kubectl;

import dev.tensorstack.training.kubectl.command.PluginCommand;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

/** The program. */
@QuarkusMain
public final class Main implements QuarkusApplication {

  /**
   * Starts it.
   *
   * @param arguments the command line without the program's name
   */
  public static void main(String... arguments) {
    Quarkus.run(Main.class, arguments);
  }

  @Override
  public int run(String... arguments) {
    return PluginCommand.commandLine().execute(arguments);
  }
}
