package dev.tensorstack.training.runtime;

import dev.tensorstack.training.kind.pytorchjob.MasterWait;
import dev.tensorstack.training.kind.pytorchjob.NameLookup;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the settings of the kind {@code PyTorchJob}. */
final class PyTorchJobConfiguration {

  private static final String NO_GANG = "none";

  private PyTorchJobConfiguration() {}

  /**
   * Reads them.
   *
   * @param given properties and environment variables
   * @return the settings
   * @throws IllegalArgumentException when one is wrong
   */
  static PyTorchJobSettings of(OperatorConfiguration.PyTorchJobs given) {
    String gang = given.gangScheduler().strip();
    return new PyTorchJobSettings(
        gang.isEmpty() || gang.equals(NO_GANG) ? null : gang,
        given.initContainer().enabled() ? masterWait(given.initContainer()) : null);
  }

  private static @Nullable MasterWait masterWait(
      OperatorConfiguration.PyTorchJobs.InitContainer given) {
    if (given.maxTries() < 1) {
      throw new IllegalArgumentException(
          "operator.pytorchjob.init-container.max-tries is "
              + given.maxTries()
              + ": write 1 or more, or switch the init container off with"
              + " operator.pytorchjob.init-container.enabled");
    }
    Optional<Path> template = given.templateFile();
    if (template.isEmpty()) {
      return new NameLookup(given.image(), given.maxTries());
    }
    try {
      return new WaitTemplate(Files.readString(template.get()), given.image(), given.maxTries());
    } catch (IOException | IllegalArgumentException problem) {
      throw new IllegalArgumentException(
          "operator.pytorchjob.init-container.template-file is "
              + template.get()
              + ", which cannot be used: "
              + problem.getMessage(),
          problem);
    }
  }
}
