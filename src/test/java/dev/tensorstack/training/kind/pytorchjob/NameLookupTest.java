package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameLookupTest {

  private static final String MASTER = "mnist-master-0";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path directory;

  private static Container container(int tries) {
    return new NameLookup("registry.example/busybox:1", tries).containers(MASTER).get(0);
  }

  @Test
  void theContainerIsThatOfKubeflowsOperatorWithAnImageOfTheSettings() {
    assertThat(new NameLookup("registry.example/busybox:1", 100).containers(MASTER)).hasSize(1);
    Container container = container(100);

    assertThat(container.getName()).isEqualTo("init-pytorch");
    assertThat(container.getImage()).isEqualTo("registry.example/busybox:1");
    assertThat(container.getImagePullPolicy()).isEqualTo("IfNotPresent");
    assertThat(container.getResources().getLimits())
        .containsEntry("cpu", new Quantity("100m"))
        .containsEntry("memory", new Quantity("20Mi"));
    assertThat(container.getResources().getRequests())
        .containsEntry("cpu", new Quantity("50m"))
        .containsEntry("memory", new Quantity("10Mi"));
  }

  /** A program of this name, instead of the one of the image. */
  private void program(String name, String script) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private int run(int tries) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(container(tries).getCommand());
    builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("output").toFile());
    Process process = builder.start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private List<String> lines(String file) throws IOException {
    Path path = directory.resolve(file);
    return Files.exists(path) ? Files.readAllLines(path, StandardCharsets.UTF_8) : List.of();
  }

  /** What nslookup prints when it is asked for the n-th time, and how it ends. */
  private void nslookup(int knownAt, int exitCode) throws IOException {
    Path asked = directory.resolve("asked");
    program("sleep", "echo $1 >> " + directory.resolve("slept"));
    program(
        "nslookup",
        "echo \"$1\" >> %1$s; echo 'Server: 10.0.0.10'; echo 'Address: 10.0.0.10:53'\n"
                .formatted(asked)
            + "if [ $(wc -l < %s) -ge %d ]; then echo \"Name:   $1.ns.svc\"; fi; exit %d"
                .formatted(asked, knownAt, exitCode));
  }

  /** Several versions end with 1 though they have found the name. */
  @ParameterizedTest
  @CsvSource({"1, 0, 0", "3, 0, 2", "3, 1, 2", "5, 0, 4"})
  void itEndsWellOnceTheNameIsKnown(int knownAt, int exitCode, int waits) throws Exception {
    nslookup(knownAt, exitCode);

    assertThat(run(5)).isZero();

    assertThat(lines("asked")).hasSize(knownAt).containsOnly(MASTER);
    assertThat(lines("slept")).hasSize(waits).allMatch("2"::equals);
    assertThat(lines("output")).hasSize(waits).allMatch(("waiting for " + MASTER)::equals);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "5, 1"})
  void itFailsInWordsAfterItsTries(int tries, int exitCode) throws Exception {
    nslookup(99, exitCode);

    assertThat(run(tries)).isEqualTo(1);

    assertThat(lines("asked")).hasSize(tries);
    assertThat(lines("output")).last().isEqualTo(MASTER + " is not in DNS");
  }
}
