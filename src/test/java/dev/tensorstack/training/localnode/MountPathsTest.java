package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountPathsTest {
  private final MountPaths paths =
      new MountPaths(
          Map.of(
              "/data", Path.of("/n/v/data"),
              "/data/cache/", Path.of("/n/v/cache"),
              "/tmp", Path.of("/tmp/node/v/tmp"),
              "/", Path.of("/n/v/root")));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/data|/n/v/data",
        "/data/|/n/v/data/",
        "/data/train/x.csv|/n/v/data/train/x.csv",
        "--root=/data/train|--root=/n/v/data/train",
        "/data:/tmp/x|/n/v/data:/tmp/node/v/tmp/x",
        "file:///data/x|file:///n/v/data/x",
        "cat /data/a '/data/b'|cat /n/v/data/a '/n/v/data/b'",
        "echo x >/data/out|echo x >/n/v/data/out",
        "/data/cache/a|/n/v/cache/a",
        "/data/cached|/n/v/data/cached",
        "/tmp/a|/tmp/node/v/tmp/a",
        "/database|/database",
        "/data2|/data2",
        "/data.txt|/data.txt",
        "/data-old|/data-old",
        "/mnt/data|/mnt/data",
        "./data/x|./data/x",
        "s3://bucket/data/x|s3://bucket/data/x",
        "/usr/bin/env|/usr/bin/env",
      })
  void replacesMountPathsOnly(String text, String expected) {
    assertThat(paths.replace(text)).isEqualTo(expected);
  }

  @Test
  void leavesTextsAloneWithoutMounts() {
    assertThat(new MountPaths(Map.of()).replace("/data $1 \\")).isEqualTo("/data $1 \\");
  }
}
