package dev.tensorstack.training.core.dependents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shell that starts TensorBoard, run for real with a tensorboard that tells what it is given.
 */
class ObjectStoreSignInTest {

  private final Path directory;

  ObjectStoreSignInTest(@TempDir Path directory) {
    this.directory = directory;
  }

  /** What TensorBoard would see: its arguments, then the variables that matter, sorted. */
  private List<String> run(Map<String, String> secret, String s3cfg)
      throws IOException, InterruptedException {
    Path tensorboard = directory.resolve("tensorboard");
    Files.writeString(
        tensorboard, "#!/bin/sh\necho \"$@\"\nenv | grep -E '^(AWS|S3)_' | LC_ALL=C sort\n");
    assertThat(tensorboard.toFile().setExecutable(true)).isTrue();
    List<String> command = new ArrayList<>(ObjectStoreSignIn.command());
    // The volume of the Secret is a folder of this test.
    command.replaceAll(word -> word.replace("/etc/object-store", directory.toString()));
    command.addAll(List.of("--logdir=s3://b/my runs", "--bind_all"));
    if (!s3cfg.isEmpty()) {
      Files.writeString(directory.resolve("s3cfg"), s3cfg);
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().retainAll(Set.of("PATH"));
    builder.environment().merge("PATH", directory + ":", (path, first) -> first + path);
    builder.environment().putAll(secret);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  @Test
  void variablesOfTheSecretAreUsedAsTheyAre() throws Exception {
    assertThat(
            run(
                Map.of(
                    "AWS_ACCESS_KEY_ID", "key",
                    "AWS_SECRET_ACCESS_KEY", "secret",
                    "S3_ENDPOINT", "http://minio:9000"),
                ""))
        .containsExactly(
            "--logdir=s3://b/my runs --bind_all",
            "AWS_ACCESS_KEY_ID=key",
            "AWS_ENDPOINT_URL=http://minio:9000",
            "AWS_SECRET_ACCESS_KEY=secret",
            "S3_ENDPOINT=http://minio:9000");
  }

  @Test
  void theFieldsOfAnS3cmdFileAreTranslated() throws Exception {
    assertThat(
            run(
                Map.of(),
                """
                [default]
                access_key = user
                secret_key = pa$s'wo"rd=/+
                host_base = minio.example:9000
                host_bucket = %(bucket)s.minio.example
                use_https = False
                """))
        .containsExactly(
            "--logdir=s3://b/my runs --bind_all",
            "AWS_ACCESS_KEY_ID=user",
            "AWS_ENDPOINT_URL=http://minio.example:9000",
            "AWS_SECRET_ACCESS_KEY=pa$s'wo\"rd=/+",
            "S3_ENDPOINT=http://minio.example:9000",
            "S3_USE_HTTPS=0");
  }

  @Test
  void theFieldsMayAlsoBeKeysOfTheSecret() throws Exception {
    assertThat(
            run(Map.of("access_key", "user", "secret_key", "word", "host_base", "s3.example"), ""))
        .containsExactly(
            "--logdir=s3://b/my runs --bind_all",
            "AWS_ACCESS_KEY_ID=user",
            "AWS_ENDPOINT_URL=https://s3.example",
            "AWS_SECRET_ACCESS_KEY=word",
            "S3_ENDPOINT=https://s3.example");
  }

  @Test
  void whatTheSecretSetsItselfWins() throws Exception {
    assertThat(run(Map.of("AWS_ACCESS_KEY_ID", "mine"), "access_key = other\n"))
        .contains("AWS_ACCESS_KEY_ID=mine");
  }
}
