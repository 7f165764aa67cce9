package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tensorstack.training.chart.ChartFiles;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The project, its chart and its plugin of kubectl have one version, which one script sets. */
class VersionTest {

  private static final String POM = "pom.xml";
  private static final String PLUGIN = "kubectl-pj/pom.xml";
  private static final String CHART = "helm/pytorchtrainingjob-operator/Chart.yaml";
  private static final List<String> FILES = List.of(POM, PLUGIN, CHART);

  private final Path root;

  VersionTest(@TempDir Path root) {
    this.root = root;
  }

  @BeforeEach
  void copy() throws IOException {
    for (String file : FILES) {
      Path copy = root.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(Path.of(file), copy);
    }
  }

  private Script run(String name, String argument) throws Exception {
    return Script.run(Map.of("RELEASE_ROOT", root.toString()), name, argument);
  }

  private void replace(String file, String regex, String by) throws IOException {
    Path path = root.resolve(file);
    String before = Files.readString(path);
    String after = before.replaceFirst(regex, by);
    assertThat(after).as("%s: %s", file, regex).isNotEqualTo(before);
    Files.writeString(path, after);
  }

  @Test
  void thisCheckoutHasOneVersion() throws Exception {
    assertThat(Script.run(Map.of(), "set-version", "--check").orThrow())
        .isEqualTo(ChartFiles.version() + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          pom.xml            | (?m)^  <version>.*</version>$ | '  <version>9.9.9</version>' | kubectl-pj/pom.xml: 1.2.3 is not 9.9.9
          kubectl-pj/pom.xml | (?m)^  <version>.*</version>$ | '  <version>9.9.9</version>' | kubectl-pj/pom.xml: 9.9.9 is not 1.2.3
          helm/pytorchtrainingjob-operator/Chart.yaml | (?m)^version: .*    | version: 9.9.9       | version 9.9.9 is not 1.2.3
          helm/pytorchtrainingjob-operator/Chart.yaml | (?m)^appVersion: .* | appVersion: "v1.2.3" | appVersion v1.2.3 is not 1.2.3
          helm/pytorchtrainingjob-operator/Chart.yaml | prerelease: "false" | prerelease: "true"   | artifacthub.io/prerelease is true
          """)
  void aFileWithAnotherVersionIsSeenAndNamed(String file, String regex, String by, String answer)
      throws Exception {
    run("set-version", "1.2.3").orThrow();
    replace(file, regex, by);

    Script check = run("set-version", "--check");
    assertThat(check.output()).contains(answer);
    assertThat(check.exitCode()).isNotZero();
    assertThat(run("release-version", "v1.2.3").exitCode()).isNotZero();
  }

  @ParameterizedTest
  @CsvSource({"1.2.3, false", "1.2.3-rc.1, true", "1.3.0-SNAPSHOT, true"})
  void theScriptSetsAllOfThemAndNothingElse(String version, String preliminary) throws Exception {
    assertThat(run("set-version", version).orThrow()).isEqualTo(version + "\n");

    for (String file : FILES) {
      List<String> before = Files.readAllLines(Path.of(file));
      List<String> after = Files.readAllLines(root.resolve(file));
      assertThat(after).hasSameSizeAs(before);
      Set<String> changed = new TreeSet<>(after);
      before.forEach(changed::remove);
      assertThat(changed)
          .as(file)
          .isSubsetOf(
              "  <version>" + version + "</version>",
              "version: " + version,
              "appVersion: " + version,
              "  artifacthub.io/prerelease: \"" + preliminary + "\"");
    }
    assertThat(root.resolve(CHART)).content().contains("prerelease: \"" + preliminary + "\"");
    assertThat(run("set-version", "--check").orThrow()).isEqualTo(version + "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.2.3",
    "1.2",
    "1.2.3+build",
    "1.2.3-RC1",
    "1.2.3-rc..1",
    "1.2.3-rc.",
    "1.2.3-snapshot-1",
    "latest",
    "''"
  })
  void whatIsNoVersionIsNotSet(String version) throws Exception {
    assertThat(run("set-version", version).exitCode()).isNotZero();
    for (String file : FILES) {
      assertThat(root.resolve(file)).hasSameTextualContentAs(Path.of(file));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          v1.2.3      | 1.2.3          | 1.2.3
          v1.2.3-rc.1 | 1.2.3-rc.1     | 1.2.3-rc.1
          1.2.3       | 1.2.3          | ! the tag 1.2.3 is not v1.2.3
          v1.2.4      | 1.2.3          | ! the tag v1.2.4 is not v1.2.3
          v1.2.3      | 1.2.3-SNAPSHOT | ! is a snapshot
          """)
  void aTagIsReleasedOnlyWhenTheProjectHasItsVersion(String tag, String version, String answer)
      throws Exception {
    run("set-version", version).orThrow();

    Script release = run("release-version", tag);
    if (answer.startsWith("! ")) {
      assertThat(release.output()).contains(answer.substring(2));
      assertThat(release.exitCode()).isNotZero();
    } else {
      assertThat(release.orThrow()).isEqualTo(answer + "\n");
    }
  }

  /** The version of an object's name in OLM, which has no capitals. */
  @Test
  void aSuffixWithCapitalsIsNotReleased() throws Exception {
    run("set-version", "1.2.3-rc1").orThrow();
    for (String file : FILES) {
      Path path = root.resolve(file);
      Files.writeString(path, Files.readString(path).replace("1.2.3-rc1", "1.2.3-RC1"));
    }

    Script release = run("release-version", "v1.2.3-RC1");
    assertThat(release.output()).contains("1.2.3-RC1 is no version of a release");
    assertThat(release.exitCode()).isNotZero();
  }

  /** Or it would stay behind. A version without a suffix may be that of something else. */
  @Test
  void noOtherFileHasTheVersionInIt() throws IOException {
    String version = ChartFiles.version();
    assumeThat(version).endsWith("-SNAPSHOT");
    Set<String> found = new TreeSet<>();
    Files.walkFileTree(
        Path.of(""),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            return name.equals("target")
                    || (name.startsWith(".") && !name.matches("\\.(ci|github)"))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              if (attributes.isRegularFile() && Files.readString(file).contains(version)) {
                found.add(file.toString());
              }
            } catch (MalformedInputException binary) {
              return FileVisitResult.CONTINUE;
            }
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(found).containsExactlyInAnyOrderElementsOf(FILES);
  }
}
