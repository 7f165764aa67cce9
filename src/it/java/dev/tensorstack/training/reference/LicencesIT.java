package dev.tensorstack.training.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What is shipped has licences that allow it, and the page about them is right. Needs the packaged
 * jars; a build that makes nothing but a native binary has none, and the same libraries.
 */
class LicencesIT {

  @BeforeEach
  void isPackaged() {
    assumeThat(LicencesReference.PACKED).exists();
  }

  @Test
  void everythingThatIsShippedMayBe() {
    assertThat(LicencesReference.dependencies())
        .hasSizeGreaterThan(50)
        .allSatisfy(
            dependency ->
                assertThat(dependency.licences())
                    .as(dependency.name())
                    .containsAnyElementsOf(LicencesReference.ACCEPTED));
  }

  @Test
  void thePageFollowsFromWhatIsShipped() throws IOException {
    isUpToDate(LicencesReference.FILE, LicencesReference.generate());
  }

  @Test
  void theNoticesAreThoseOfWhatIsShipped() throws IOException {
    isUpToDate(LicencesReference.NOTICE, LicencesReference.notices());
  }

  private static void isUpToDate(Path file, String expected) throws IOException {
    if (System.getProperty("update") != null) {
      Files.writeString(file, expected);
    }
    assertThat(Files.readString(file))
        .as(
            "%s; run ./mvnw verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dit.test=LicencesIT -Dupdate",
            file)
        .isEqualTo(expected);
  }
}
