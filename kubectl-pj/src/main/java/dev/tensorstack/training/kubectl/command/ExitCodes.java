package dev.tensorstack.training.kubectl.command;

/**
 * The exit codes of the plugin; {@code wait} and {@code exec} pass on those of what they wait for.
 */
public final class ExitCodes {

  /** It was done. */
  public static final int OK = 0;

  /** It could not be done; standard error says why. */
  public static final int FAILURE = 1;

  /** The command line cannot be understood. */
  public static final int USAGE = 2;

  /** {@code wait} reached its time limit, as coreutils' timeout says it. */
  public static final int TIME_LIMIT = 124;

  private ExitCodes() {}
}
