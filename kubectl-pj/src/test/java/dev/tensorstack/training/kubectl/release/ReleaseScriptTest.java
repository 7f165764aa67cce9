package dev.tensorstack.training.kubectl.release;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code krew/release}, run on a program that only says its version. */
class ReleaseScriptTest {

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Path WORKFLOW = Path.of("../.github/workflows/release.yml");
  private static final String REPOSITORY = "https://github.example/team/project";

  private final Path folder;
  private final Path archives;

  ReleaseScriptTest(@TempDir Path folder) {
    this.folder = folder;
    this.archives = folder.resolve("archives");
  }

  private record Answer(int code, String out) {

    String done() {
      assertThat(code).as(out).isZero();
      return out;
    }

    String refused() {
      assertThat(code).as(out).isNotZero();
      return out;
    }
  }

  private Answer run(List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PLUGIN_POM", folder.resolve("pom.xml").toString());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return new Answer(process.exitValue(), out);
  }

  private Answer release(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", "krew/release"));
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** A program that answers as the plugin does. */
  private String program() throws IOException {
    Path program = folder.resolve("program");
    Files.writeString(
        program,
        """
        #!/bin/sh
        case "$*" in
          --version) echo kubectl-pj 1.2.3 ;;
          "completion kubectl") echo "# completion" ;;
        esac
        """);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program.toString();
  }

  private static List<String> platforms() throws IOException {
    List<String> platforms = new ArrayList<>();
    for (JsonNode entry :
        YAML.readTree(WORKFLOW.toFile()).at("/jobs/plugin/strategy/matrix/include")) {
      platforms.add(entry.path("platform").asText());
    }
    return platforms;
  }

  private void archiveAll() throws IOException, InterruptedException {
    for (String platform : platforms()) {
      release("archive", "1.2.3", program(), platform, archives.toString()).done();
    }
  }

  private static String sha256(Path file) throws IOException, GeneralSecurityException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  @Test
  void anArchiveHoldsTheProgramItsCompletionAndTheLicense() throws Exception {
    release("archive", "1.2.3", program(), "linux-amd64", archives.toString()).done();
    Path archive = archives.resolve("kubectl-pj-linux-amd64.tar.gz");
    Path unpacked = Files.createDirectories(folder.resolve("unpacked"));
    run(List.of("tar", "-C", unpacked.toString(), "-xzf", archive.toString())).done();
    assertThat(run(List.of(unpacked.resolve("kubectl-pj").toString(), "--version")).done())
        .isEqualTo("kubectl-pj 1.2.3\n");
    assertThat(Files.isExecutable(unpacked.resolve("kubectl_complete-pj"))).isTrue();
    assertThat(unpacked.resolve("LICENSE")).hasSameTextualContentAs(Path.of("../LICENSE"));
    assertThat(archives.resolve("kubectl-pj-linux-amd64.tar.gz.sha256"))
        .hasContent(sha256(archive) + "  kubectl-pj-linux-amd64.tar.gz");
  }

  @Test
  void theManifestNamesEveryArchiveThatTheWorkflowMakes() throws Exception {
    archiveAll();
    JsonNode manifest =
        YAML.readTree(release("manifest", "1.2.3", REPOSITORY, archives.toString()).done());
    assertThat(manifest.at("/spec/version").asText()).isEqualTo("v1.2.3");
    assertThat(manifest.at("/spec/homepage").asText()).isEqualTo(REPOSITORY);
    Map<String, String> sums = new TreeMap<>();
    for (JsonNode platform : manifest.at("/spec/platforms")) {
      JsonNode labels = platform.at("/selector/matchLabels");
      String name = labels.path("os").asText() + "-" + labels.path("arch").asText();
      assertThat(platform.path("uri").asText())
          .isEqualTo(REPOSITORY + "/releases/download/v1.2.3/kubectl-pj-" + name + ".tar.gz");
      sums.put(name, platform.path("sha256").asText());
    }
    assertThat(sums).containsOnlyKeys(platforms());
    for (Map.Entry<String, String> sum : sums.entrySet()) {
      assertThat(sum.getValue())
          .isEqualTo(sha256(archives.resolve("kubectl-pj-" + sum.getKey() + ".tar.gz")));
    }
  }

  @Test
  void anArchiveThatIsMissingOrTooMuchIsNoticed() throws Exception {
    archiveAll();
    Files.delete(archives.resolve("kubectl-pj-linux-arm64.tar.gz"));
    assertThat(release("manifest", "1.2.3", REPOSITORY, archives.toString()).refused())
        .contains("pj.yaml names linux-arm64");
    archiveAll();
    release("archive", "1.2.3", program(), "plan9-amd64", archives.toString()).done();
    assertThat(release("manifest", "1.2.3", REPOSITORY, archives.toString()).refused())
        .contains("pj.yaml does not name")
        .contains("plan9");
  }

  @Test
  void anotherVersionIsNotReleased() throws Exception {
    assertThat(release("archive", "1.2.4", program(), "linux-amd64", archives.toString()).refused())
        .contains("says that it is kubectl-pj 1.2.3, not kubectl-pj 1.2.4");
    Files.writeString(folder.resolve("pom.xml"), "<project>\n  <version>1.2.3</version>\n");
    assertThat(release("check", "1.2.3").done()).isEmpty();
    assertThat(release("check", "1.2.4").refused()).contains("1.2.3 is not 1.2.4");
    assertThat(release("nonsense").refused()).contains("krew/release manifest VERSION");
  }

  @Test
  void thePomHasOneVersionOfItsOwn() throws IOException {
    assertThat(Files.readString(Path.of("pom.xml")).lines())
        .filteredOn(line -> line.matches("^  <version>.*</version>$"))
        .hasSize(1);
  }
}
