package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class KilledJvmIT {
  @Test
  void aKilledJvmLeavesNeitherProcessesNorData() throws IOException {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ControlPlane.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<ProcessHandle> children;
    Path data;
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.readLine();
      assertThat(line).startsWith("export KUBECONFIG=");
      data = Path.of(line.substring("export KUBECONFIG=".length())).getParent();
      children = jvm.descendants().toList();
      assertThat(children)
          .extracting(child -> child.info().command().orElse("").replaceFirst(".*/", ""))
          .contains("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
    } finally {
      jvm.destroyForcibly();
    }

    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    await().atMost(Duration.ofSeconds(30)).until(() -> Files.notExists(data));
  }
}
