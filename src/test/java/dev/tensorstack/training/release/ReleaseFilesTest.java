package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What builds and publishes the operator is pinned, fits together, and signs. */
class ReleaseFilesTest {

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Path WORKFLOWS = Path.of(".github/workflows");
  private static final Path DOCKER = Path.of("src/main/docker");
  private static final Pattern DIGEST = Pattern.compile("[^\\s@]+:[^\\s@]+@sha256:[0-9a-f]{64}");

  static List<Path> workflows() throws IOException {
    return files(WORKFLOWS);
  }

  static List<Path> dockerfiles() throws IOException {
    return files(DOCKER);
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void anActionIsPinnedByItsCommitBesideWhichItsVersionStands(Path workflow) throws IOException {
    assertThat(actions(Files.readString(workflow)))
        .allSatisfy(
            action ->
                assertThat(action)
                    .as("%s; a tag can be moved: OWNER/NAME@COMMIT # vVERSION", workflow)
                    .matches("\\./\\S+|[\\w.-]+/[\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
  }

  @Test
  void anActionHasOneVersion() throws IOException {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (Path workflow : workflows()) {
      for (String action : actions(Files.readString(workflow))) {
        String[] parts = action.split("@", 2);
        versions.computeIfAbsent(parts[0], name -> new TreeSet<>()).add(action);
      }
    }
    assertThat(versions).hasSizeGreaterThan(8);
    assertThat(versions.values()).allSatisfy(pins -> assertThat(pins).hasSize(1));
  }

  @Test
  void anActionThatIsNotPinnedIsSeen() {
    assertThat(actions("steps:\n- uses: a/b@v4\n  - name: x\n    uses: 'c/d@main' # c\n"))
        .containsExactly("a/b@v4", "'c/d@main' # c");
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void aWorkflowMayOnlyReadUnlessAJobSaysOtherwise(Path workflow) throws IOException {
    assertThat(yaml(workflow).path("permissions").toString()).isEqualTo("{\"contents\":\"read\"}");
  }

  @ParameterizedTest
  @MethodSource("dockerfiles")
  void aBaseImageIsPinnedByItsDigest(Path dockerfile) throws IOException {
    Set<String> stages = new HashSet<>();
    int bases = 0;
    for (String line : Files.readAllLines(dockerfile)) {
      if (!line.startsWith("FROM ")) {
        continue;
      }
      String[] words = line.split("\\s+");
      if (!stages.contains(words[1])) {
        assertThat(words[1]).as(dockerfile.toString()).matches(DIGEST);
        bases++;
      }
      if (words.length == 4) {
        stages.add(words[3]);
      }
    }
    assertThat(bases).isPositive();
  }

  @Test
  void jibsBaseImageIsPinnedByItsDigest() throws IOException {
    assertThat(found("<quarkus.jib.base-jvm-image>(.*)</", Path.of("pom.xml"))).matches(DIGEST);
  }

  @Test
  void mavenIsComparedWithItsChecksum() throws IOException {
    Properties wrapper = new Properties();
    try (var reader = Files.newBufferedReader(Path.of(".mvn/wrapper/maven-wrapper.properties"))) {
      wrapper.load(reader);
    }
    assertThat(wrapper.getProperty("distributionUrl")).startsWith("https://");
    assertThat(wrapper.getProperty("distributionSha256Sum")).matches("[0-9a-f]{64}");
  }

  /** The bot sees to what is pinned, or it would grow old. */
  @Test
  void whatIsPinnedIsKeptUpToDate() throws IOException {
    Map<String, String> directories = new TreeMap<>();
    for (JsonNode update : yaml(Path.of(".github/dependabot.yml")).path("updates")) {
      directories.put(
          update.path("package-ecosystem").asText(),
          update.path("directory").asText() + String.join(" ", texts(update.path("directories"))));
    }
    assertThat(directories)
        .containsEntry("maven", "/ /kubectl-pj")
        .containsEntry("github-actions", "/")
        .containsEntry("docker", "/" + DOCKER)
        .containsEntry("gomod", "/src/testkit/controlplane/* /src/tools/go/*")
        .containsEntry("pip", "/src/tools/python /src/tools/site");
  }

  /** The chart asks for an image with its appVersion as the tag: no v. */
  @Test
  void whatIsPublishedIsCalledAfterTheVersionAndNotTheTag() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    List<String> tags = new ArrayList<>();
    for (JsonNode job : jobs) {
      if (job.path("permissions").path("packages").asText().equals("write")) {
        assertThat(job.path("needs").toString()).contains("\"version\"");
        assertThat(job.path("env").path("VERSION").asText())
            .isEqualTo("${{ needs.version.outputs.version }}");
      }
      for (JsonNode step : job.path("steps")) {
        step.path("with").path("tags").asText().lines().forEach(tags::add);
      }
    }
    assertThat(tags)
        .containsExactly(
            "${{ env.IMAGE }}:${{ env.VERSION }}-${{ matrix.architecture }}",
            "${{ env.IMAGE }}:${{ env.VERSION }}-jvm-${{ matrix.architecture }}");
    assertThat(commands(jobs.path("version"))).contains(".ci/release-version \"$TAG\"");
    assertThat(commands(jobs.path("images")))
        .contains("$IMAGE:$VERSION$variant")
        .doesNotContain("$IMAGE:$TAG");
  }

  @Test
  void imagesAndChartAndFilesAreSignedWithoutAKey() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(commands(jobs.path("images")))
        .contains("cosign sign --yes --recursive \"$IMAGE@$digest\"")
        .doesNotContain("--key");
    assertThat(commands(jobs.path("chart")))
        .contains("helm push \"files/pytorchtrainingjob-operator-$VERSION.tgz\" \"oci://$CHARTS\"")
        .contains("cosign sign --yes \"$CHARTS/pytorchtrainingjob-operator@$digest\"")
        .doesNotContain("--key");
    assertThat(commands(jobs.path("release")))
        .contains(
            "cosign sign-blob --yes --new-bundle-format --bundle files/SHA256SUMS.sigstore.json")
        .doesNotContain("--key");
  }

  /** What a user verifies with gh attestation verify. */
  @Test
  void howEverythingWasMadeIsAttested() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    String nativeImage = "${{ steps.images.outputs.digest }}";
    String jvm = "${{ steps.images.outputs.digest-jvm }}";
    assertThat(attested(jobs.path("images"), "actions/attest-build-provenance", "subject-digest"))
        .containsExactly(nativeImage, jvm);
    assertThat(attested(jobs.path("images"), "actions/attest-sbom", "subject-digest"))
        .containsExactly(nativeImage, jvm);
    assertThat(attested(jobs.path("chart"), "actions/attest-build-provenance", "subject-digest"))
        .containsExactly("${{ steps.chart.outputs.digest }}");
    assertThat(
            attested(jobs.path("release"), "actions/attest-build-provenance", "subject-checksums"))
        .containsExactly("files/SHA256SUMS");
  }

  private static List<String> attested(JsonNode job, String action, String subject) {
    List<String> subjects = new ArrayList<>();
    for (JsonNode step : job.path("steps")) {
      if (step.path("uses").asText().startsWith(action + "@")) {
        subjects.add(step.path("with").path(subject).asText());
      }
    }
    return subjects;
  }

  /** Rights are those of what a job does: nobody writes both packages and the release. */
  @Test
  void eachJobOfTheReleaseHasTheRightsThatItNeeds() throws IOException {
    Map<String, String> rights = new TreeMap<>();
    yaml(WORKFLOWS.resolve("release.yml"))
        .path("jobs")
        .properties()
        .forEach(
            job -> {
              Set<String> writes = new TreeSet<>();
              job.getValue()
                  .path("permissions")
                  .properties()
                  .forEach(
                      right -> {
                        if (right.getValue().asText().equals("write")) {
                          writes.add(right.getKey());
                        }
                      });
              rights.put(job.getKey(), String.join(" ", writes));
            });
    assertThat(rights)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "version", "",
                "scan", "",
                "kubernetes", "",
                "build", "packages",
                "plugin", "",
                "images", "attestations id-token packages",
                "chart", "attestations id-token packages",
                "release", "attestations contents id-token"));
  }

  /** Files that nobody downloads into the release would be made in vain. */
  @Test
  void whatIsMadeFromTheChartIsPublished() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(commands(jobs.path("chart")))
        .contains(".ci/release-files all \"$GITHUB_REPOSITORY\" files");
    assertThat(commands(jobs.path("release")))
        .contains("cp release/chart/files/* files/")
        .contains("kubectl-pj/krew/release manifest")
        .contains("kubectl-pj-cyclonedx.json")
        .contains("pytorchtrainingjob-operator-cyclonedx.json")
        .contains("gh release create \"$TAG\"");
    assertThat(jobs.path("release").path("needs").toString())
        .contains("\"images\"", "\"chart\"", "\"plugin\"");
    assertThat(jobs.path("chart").path("needs").toString()).contains("\"images\"");
  }

  @Test
  void aKnownVulnerabilityFailsTheScanAndTheReleaseWaitsForIt() throws IOException {
    JsonNode scan = yaml(WORKFLOWS.resolve("scan.yml"));
    assertThat(scan.path("on").fieldNames())
        .toIterable()
        .contains("push", "pull_request", "schedule", "workflow_call");
    assertThat(scan.findValues("continue-on-error")).isEmpty();
    assertThat(commands(scan.path("jobs").path("libraries")))
        .contains("./mvnw -B -q quarkus:dependency-sbom")
        .contains("jq -f .ci/runtime-components.jq target/*-cyclonedx.json")
        .containsPattern(
            "go run github.com/google/osv-scanner/v2/cmd/osv-scanner@v\\d+\\.\\d+\\.\\d+ ")
        .doesNotContain("|| ");

    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(jobs.path("scan").path("uses").asText()).isEqualTo("./.github/workflows/scan.yml");
    assertThat(jobs.path("build").path("needs").toString()).contains("\"scan\"");
  }

  @Test
  void allVersionsOfKubernetesAreTestedByHandAndOnScheduleAndTheReleaseWaitsForIt()
      throws IOException {
    JsonNode versions = yaml(WORKFLOWS.resolve("kubernetes-versions.yml"));
    assertThat(versions.path("on").fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("schedule", "workflow_dispatch", "workflow_call");
    assertThat(versions.findValues("continue-on-error")).isEmpty();
    assertThat(commands(versions.path("jobs").path("test")))
        .contains("./mvnw -B verify -Pkubernetes-version");

    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(jobs.path("kubernetes").path("uses").asText())
        .isEqualTo("./.github/workflows/kubernetes-versions.yml");
    assertThat(jobs.path("build").path("needs").toString()).contains("\"kubernetes\"");
  }

  @Test
  void aVulnerabilityThatIsIgnoredHasAReasonAndAnEnd() throws IOException {
    String ignored = Files.readString(Path.of(".github/osv-scanner.toml"));
    assertThat(ignored.split("\\[\\[IgnoredVulns]]"))
        .hasSizeGreaterThan(1)
        .satisfies(
            parts ->
                assertThat(Stream.of(parts).skip(1))
                    .allSatisfy(
                        part ->
                            assertThat(part)
                                .containsPattern("id = \"(CVE|GHSA)-.+\"")
                                .containsPattern("ignoreUntil = \\d{4}-\\d\\d-\\d\\d")
                                .containsPattern("reason = \".{40,}\"")));
  }

  /** A pipe whose first part fails would pass otherwise. */
  @Test
  void aStepOfTheReleaseFailsWithEachOfItsCommands() throws IOException {
    JsonNode release = yaml(WORKFLOWS.resolve("release.yml"));
    assertThat(release.path("defaults").path("run").path("shell").asText()).isEqualTo("bash");
  }

  /** Or the token would be there while Maven runs what it has downloaded. */
  @Test
  void aJobLogsInAfterItsLastBuild() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    for (String name : List.of("build", "chart")) {
      boolean login = false;
      for (JsonNode step : jobs.path(name).path("steps")) {
        login |= step.path("uses").asText().startsWith("docker/login-action@");
        if (login) {
          assertThat(step.path("run").asText())
              .as(name)
              .doesNotContain("mvnw", "go install", "release-files");
        }
      }
      assertThat(login).as(name).isTrue();
    }
  }

  /** What is attested and published is what the scan has seen. */
  @Test
  void theBillsOfMaterialsAreThoseOfWhatIsShipped() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    for (String name : List.of("build", "plugin")) {
      assertThat(commands(jobs.path(name)))
          .containsPattern("(?s)quarkus:dependency-sbom.*jq -f \\.ci/runtime-components\\.jq ");
    }
  }

  /** An artifact that an action adds by itself, as Docker's build records, is not taken. */
  @Test
  void theArtifactsThatAreDownloadedAreNamed() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(jobs.at("/build/env/DOCKER_BUILD_RECORD_UPLOAD").asText()).isEqualTo("false");
    for (JsonNode job : jobs) {
      for (JsonNode step : job.path("steps")) {
        if (step.path("uses").asText().startsWith("actions/download-artifact@")) {
          assertThat(step.at("/with/name").asText() + step.at("/with/pattern").asText())
              .isNotEmpty();
        }
      }
    }
  }

  @Test
  void theChartIsMadeWithTheHelmOfTheTests() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("release.yml")).path("jobs");
    assertThat(commands(jobs.path("chart")))
        .contains("go install helm.sh/helm/v3/cmd/helm@" + Tool.HELM_VERSION + "\n");
  }

  /** A package of another content is refused. */
  @Test
  void thePackagesOfTheSiteArePinnedByTheirHashes() throws IOException {
    JsonNode jobs = yaml(WORKFLOWS.resolve("site.yml")).path("jobs");
    for (String name : List.of("build", "publish")) {
      assertThat(commands(jobs.path(name)))
          .contains("pip install --require-hashes -r src/tools/site/requirements.txt");
    }
    assertThat(jobs.at("/publish/concurrency/group").asText()).isEqualTo("site-publish");
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static String commands(JsonNode job) {
    StringBuilder all = new StringBuilder();
    for (JsonNode step : job.path("steps")) {
      all.append(step.path("run").asText()).append('\n');
    }
    return all.toString();
  }

  private static List<String> actions(String workflow) {
    return Pattern.compile("(?m)^[\\s-]*uses:\\s*(\\S.*?)\\s*$")
        .matcher(workflow)
        .results()
        .map(result -> result.group(1))
        .toList();
  }

  private static String found(String regex, Path file) throws IOException {
    return Pattern.compile(regex)
        .matcher(Files.readString(file))
        .results()
        .findFirst()
        .map((MatchResult result) -> result.group(1))
        .orElseThrow();
  }

  private static JsonNode yaml(Path file) throws IOException {
    return YAML.readTree(file.toFile());
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }
}
