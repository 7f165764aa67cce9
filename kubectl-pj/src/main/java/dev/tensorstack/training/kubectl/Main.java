package dev.tensorstack.training.kubectl;

import dev.tensorstack.training.kubectl.command.PluginCommand;
import dev.tensorstack.training.kubectl.terminal.Ending;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.vertx.core.Vertx;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** The program. */
@Singleton
@QuarkusMain
public class Main implements QuarkusApplication {

  /** Quarkus keeps only what somebody asks for. */
  @SuppressWarnings("unused")
  private final Instance<Vertx> vertx;

  /**
   * Made by Quarkus.
   *
   * @param vertx what the HTTP client runs on; made when it is asked for
   */
  @Inject
  public Main(Instance<Vertx> vertx) {
    this.vertx = vertx;
  }

  /**
   * Starts it.
   *
   * @param arguments the command line without the program's name
   */
  public static void main(String... arguments) {
    Ending.watch();
    Quarkus.run(Main.class, arguments);
  }

  @Override
  public int run(String... arguments) {
    return PluginCommand.commandLine().execute(arguments);
  }
}
