package dev.tensorstack.training.controlplane;

/**
 * What a run of kubectl gave.
 *
 * @param exitCode 0 when it succeeded
 * @param stdout what it printed, as UTF-8
 * @param stderr what it complained about, as UTF-8
 */
public record KubectlResult(int exitCode, String stdout, String stderr) {
  /**
   * Insists on success.
   *
   * @return what was printed
   * @throws ControlPlaneException when the exit code is not 0; it carries both outputs
   */
  public String orThrow() {
    if (exitCode != 0) {
      throw new ControlPlaneException(
          "kubectl ended with "
              + exitCode
              + "\n"
              + stderr
              + (stdout.isEmpty() ? "" : "\n" + stdout));
    }
    return stdout;
  }
}
