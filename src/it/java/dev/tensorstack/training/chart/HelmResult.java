package dev.tensorstack.training.chart;

/**
 * What a run of Helm gave.
 *
 * @param exitCode 0 when it succeeded
 * @param stdout what it printed, as UTF-8
 * @param stderr what it complained about, as UTF-8
 */
public record HelmResult(int exitCode, String stdout, String stderr) {

  /**
   * Insists on success.
   *
   * @return what was printed
   * @throws AssertionError when the exit code is not 0; it carries both outputs
   */
  public String orThrow() {
    if (exitCode != 0) {
      throw new AssertionError("helm ended with " + exitCode + "\n" + stderr + "\n" + stdout);
    }
    return stdout;
  }
}
