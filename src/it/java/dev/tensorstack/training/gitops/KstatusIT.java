package dev.tensorstack.training.gitops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@link KstatusRecord} says is what kstatus and Flux say themselves. Needs Go, and the
 * network when it runs for the first time.
 */
class KstatusIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SOURCE = Path.of("src/tools/go/kstatus");
  private static final Path RECORD = Path.of("src/test/resources", KstatusRecord.FILE);
  private static final Path FOLDER = Path.of("docs/operations/gitops");

  private static Path program = Path.of("");

  private final FluxHealth untilItRuns = new FluxHealth(FOLDER.resolve("flux-running.yaml"));
  private final FluxHealth untilItHasSucceeded =
      new FluxHealth(FOLDER.resolve("flux-succeeded.yaml"));

  @BeforeAll
  static void build(@TempDir Path folder) throws IOException, InterruptedException {
    String go = findGo().orElse("");
    assumeFalse(go.isEmpty(), "there is no Go on the PATH; install Go 1.26 or newer");
    Path log = folder.resolve("go.log");
    assumeTrue(
        run(null, log, List.of(go, "mod", "download")) == 0,
        () -> "the Go modules of " + SOURCE + " cannot be downloaded: " + read(log));
    program = Path.of("target/kstatus").toAbsolutePath();
    assertThat(
            run(
                null,
                log,
                List.of(
                    go, "build", "-trimpath", "-buildvcs=false", "-o", program.toString(), ".")))
        .as(() -> read(log))
        .isZero();
  }

  @Test
  void kstatusAndFluxSayWhatIsRecorded(@TempDir Path folder)
      throws IOException, InterruptedException {
    Map<String, JsonNode> jobs = JobStates.all();
    List<ObjectNode> requests = new ArrayList<>();
    for (JsonNode job : jobs.values()) {
      requests.add(request(job, untilItRuns));
      requests.add(request(job, untilItHasSucceeded));
    }
    Iterator<JsonNode> answers = ask(folder, requests).iterator();
    ObjectNode said = JsonNodeFactory.instance.objectNode();
    jobs.forEach(
        (name, job) -> {
          JsonNode runs = answers.next();
          ObjectNode record = said.putObject(name);
          record.set("object", job);
          record.set("kstatus", runs.get("kstatus"));
          record.set("untilItRuns", runs.get("flux"));
          record.set("untilItHasSucceeded", answers.next().get("flux"));
        });
    if (System.getProperty("update") != null) {
      Files.createDirectories(RECORD.getParent());
      Files.writeString(
          RECORD, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(said) + "\n");
    }
    assertThat(JSON.readTree(RECORD.toFile())).as("%s", RECORD).isEqualTo(said);
  }

  /** Flux has its own copy of kstatus. */
  @Test
  void fluxWithoutExpressionsSaysWhatKstatusSays(@TempDir Path folder)
      throws IOException, InterruptedException {
    List<ObjectNode> requests = new ArrayList<>();
    JobStates.all().values().forEach(job -> requests.add(request(job, null)));
    assertThat(ask(folder, requests))
        .allSatisfy(answer -> assertThat(answer.get("flux")).isEqualTo(answer.get("kstatus")));
  }

  private static ObjectNode request(JsonNode job, @Nullable FluxHealth health) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.set("object", job);
    if (health != null) {
      request.set("healthCheckExprs", health.expressions(job));
    }
    return request;
  }

  private static List<JsonNode> ask(Path folder, List<ObjectNode> requests)
      throws IOException, InterruptedException {
    Path input = folder.resolve("requests.json");
    Files.write(input, requests.stream().map(JsonNode::toString).toList());
    Path output = folder.resolve("answers.json");
    assertThat(run(input, output, List.of(program.toString()))).as(() -> read(output)).isZero();
    List<JsonNode> answers;
    try (MappingIterator<JsonNode> read =
        JSON.readerFor(JsonNode.class).readValues(output.toFile())) {
      answers = read.readAll();
    }
    assertThat(answers).hasSameSizeAs(requests);
    return answers;
  }

  private static int run(@Nullable Path input, Path output, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(SOURCE.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    if (input != null) {
      builder.redirectInput(input.toFile());
    }
    builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOWORK", "off"));
    Process process = builder.start();
    try {
      return process.waitFor();
    } finally {
      process.destroyForcibly();
    }
  }

  private static Optional<String> findGo() {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)),
            Stream.of("/usr/local/go/bin"))
        .map(folder -> Path.of(folder, "go"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }
}
