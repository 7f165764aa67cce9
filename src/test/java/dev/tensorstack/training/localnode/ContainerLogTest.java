package dev.tensorstack.training.localnode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerLogTest {
  private final ContainerLog log;

  ContainerLogTest(@TempDir Path directory) {
    log = new ContainerLog(directory.resolve("0.log"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|a,b,,c",
        "tailLines=1|c",
        "tailLines=2|,c",
        "tailLines=0|''",
        "tailLines=99|a,b,,c",
        "limitBytes=3|a,b",
        "tailLines=3&limitBytes=1|b",
        "sinceTime=2999-01-01T00:00:00Z|''",
        "sinceSeconds=3600|a,b,,c",
      })
  void selectsWhatIsAskedFor(String query, String expected) throws IOException {
    log.pump(new ByteArrayInputStream("a\nb\n\nc".getBytes(UTF_8)));
    assertThat(copy(query)).isEqualTo(expected.replace(',', '\n'));
  }

  @Test
  void timestampsStandAtTheBeginningOfEveryLine() throws IOException {
    log.pump(new ByteArrayInputStream("a\nb\n".getBytes(UTF_8)));
    assertThat(copy("timestamps=true").split("\n"))
        .allSatisfy(line -> assertThat(Instant.parse(line.split(" ")[0])).isBefore(Instant.now()))
        .extracting(line -> line.split(" ")[1])
        .containsExactly("a", "b");
  }

  @Test
  void longLinesStayInOnePiece() throws IOException {
    String line = "x".repeat(100_000) + "\n";
    log.pump(new ByteArrayInputStream((line + line + "end\n").getBytes(UTF_8)));
    assertThat(copy("tailLines=2")).isEqualTo(line + "end\n");
  }

  @Test
  void followerSeesPiecesOfLinesAtOnceAndTheEnd() throws Exception {
    PipedOutputStream process = new PipedOutputStream();
    PipedInputStream output = new PipedInputStream(process);
    CompletableFuture<Void> pump = CompletableFuture.runAsync(() -> log.pump(output));
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    CompletableFuture<Void> follower =
        CompletableFuture.runAsync(
            () -> {
              try {
                log.copy(LogQuery.parse("follow=true", Instant.now()), seen);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    process.write("10%".getBytes(UTF_8));
    process.flush();
    await().until(() -> seen.toString(UTF_8).equals("10%"));
    process.write(" done\n".getBytes(UTF_8));
    process.close();
    pump.get(10, TimeUnit.SECONDS);
    assertThat(follower).isNotDone();
    log.close();
    follower.get(10, TimeUnit.SECONDS);
    assertThat(seen.toString(UTF_8)).isEqualTo("10% done\n");
  }

  @Test
  void negativeNumbersAreRefused() {
    assertThatThrownBy(() -> LogQuery.parse("tailLines=-1", Instant.now()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private String copy(String query) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    log.copy(LogQuery.parse(query, Instant.now()), out);
    return out.toString(UTF_8);
  }
}
