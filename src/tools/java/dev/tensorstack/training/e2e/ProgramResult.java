package dev.tensorstack.training.e2e;

/**
 * What a program gave.
 *
 * @param command how it was called
 * @param exitCode 0 when it succeeded
 * @param stdout what it printed, as UTF-8
 * @param stderr what it complained about, as UTF-8
 */
record ProgramResult(String command, int exitCode, String stdout, String stderr) {

  /**
   * Insists on success.
   *
   * @return what was printed
   * @throws AssertionError when the exit code is not 0; it carries both outputs
   */
  String orThrow() {
    if (exitCode != 0) {
      throw new AssertionError(
          "%s ended with %d%n%s%n%s".formatted(command, exitCode, stderr, stdout));
    }
    return stdout;
  }
}
