package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Downloads the published programs and checks them against the published checksums.
 *
 * <p>The checksum is fetched first, with a few seconds of patience, and a host that did not answer
 * is not asked again: a closed network costs seconds.
 */
final class ReleaseDownload implements BinarySource {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
  private static final Duration CHECKSUM_LIMIT = Duration.ofSeconds(6);
  private static final Duration STALL_LIMIT = Duration.ofSeconds(30);

  private final KubernetesVersion kubernetes;
  private final URI kubernetesBase;
  private final URI etcdBase;
  private final URI helmBase;
  private final URI prometheusBase;
  private final Platform platform;
  private final Progress progress;
  private final Set<String> closedHosts = new HashSet<>();

  /**
   * Downloads from the official places.
   *
   * @param kubernetes the version of the programs of Kubernetes
   */
  ReleaseDownload(KubernetesVersion kubernetes, Platform platform, Progress progress) {
    this(
        kubernetes,
        URI.create("https://dl.k8s.io/release/"),
        URI.create("https://github.com/etcd-io/etcd/releases/download/"),
        URI.create("https://get.helm.sh/"),
        URI.create("https://github.com/prometheus/prometheus/releases/download/"),
        platform,
        progress);
  }

  /** Downloads from places that are laid out like the official ones; all end with a slash. */
  ReleaseDownload(
      KubernetesVersion kubernetes,
      URI kubernetesBase,
      URI etcdBase,
      URI helmBase,
      URI prometheusBase,
      Platform platform,
      Progress progress) {
    this.kubernetes = kubernetes;
    this.kubernetesBase = kubernetesBase;
    this.etcdBase = etcdBase;
    this.helmBase = helmBase;
    this.prometheusBase = prometheusBase;
    this.platform = platform;
    this.progress = progress;
  }

  /** Where one program is published. */
  private record Release(URI file, URI checksum, String algorithm, Optional<String> archived) {}

  private Optional<Release> release(Tool tool) {
    if (tool == Tool.ETCD) {
      if (!platform.os().equals("linux")) {
        return Optional.empty(); // published as zip there, and the rest has to be built anyway
      }
      String name =
          String.format(
              Locale.ROOT,
              "etcd-%s-%s-%s",
              tool.version(kubernetes),
              platform.os(),
              platform.arch());
      URI folder = etcdBase.resolve(tool.version(kubernetes) + "/");
      return Optional.of(
          new Release(
              folder.resolve(name + ".tar.gz"),
              folder.resolve("SHA256SUMS"),
              "SHA-256",
              Optional.of(name + "/etcd")));
    }
    if (tool == Tool.HELM) {
      URI archive =
          helmBase.resolve(
              String.format(
                  Locale.ROOT,
                  "helm-%s-%s-%s.tar.gz",
                  tool.version(kubernetes),
                  platform.os(),
                  platform.arch()));
      return Optional.of(
          new Release(
              archive,
              URI.create(archive + ".sha256sum"),
              "SHA-256",
              Optional.of(platform + "/helm")));
    }
    if (tool.version(kubernetes).equals(Tool.PROMETHEUS_VERSION)) {
      String name =
          String.format(
              Locale.ROOT,
              "prometheus-%s.%s-%s",
              tool.version(kubernetes).substring(1),
              platform.os(),
              platform.arch());
      URI folder = prometheusBase.resolve(tool.version(kubernetes) + "/");
      return Optional.of(
          new Release(
              folder.resolve(name + ".tar.gz"),
              folder.resolve("sha256sums.txt"),
              "SHA-256",
              Optional.of(name + "/" + tool.program())));
    }
    if (tool != Tool.KUBECTL && !platform.os().equals("linux")) {
      return Optional.empty(); // servers are published for Linux only
    }
    URI file =
        kubernetesBase.resolve(
            String.format(
                Locale.ROOT,
                "%s/bin/%s/%s/%s",
                tool.version(kubernetes),
                platform.os(),
                platform.arch(),
                tool.program()));
    return Optional.of(
        new Release(file, URI.create(file + ".sha512"), "SHA-512", Optional.empty()));
  }

  @Override
  public Optional<String> fetch(Tool tool, Path target) throws InterruptedException {
    if (!tool.published()) {
      return Optional.of("download: nobody publishes " + tool.program() + " as a program");
    }
    Optional<Release> release = release(tool);
    if (release.isEmpty()) {
      return Optional.of("download: not published for " + platform);
    }
    URI file = release.get().file();
    if (closedHosts.contains(file.getHost())) {
      return Optional.of("download: " + file.getHost() + " cannot be reached");
    }
    try {
      download(tool, release.get(), target);
      return Optional.empty();
    } catch (IOException e) {
      progress.say("no download of " + tool.program() + ": " + e.getMessage());
      return Optional.of("download: " + e.getMessage());
    }
  }

  private void download(Tool tool, Release release, Path target)
      throws IOException, InterruptedException {
    HttpClient http =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT_LIMIT)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    String expected = checksum(http, release);
    Path file = target.resolveSibling(target.getFileName() + ".download.part");
    try {
      downloadFile(http, tool, release.file(), file);
      String actual = digest(file, release.algorithm());
      if (!actual.equals(expected)) {
        throw new IOException(
            release.file()
                + " does not fit its published checksum: "
                + actual
                + ", not "
                + expected);
      }
      if (release.archived().isPresent()) {
        extract(file, release.archived().get(), target);
      } else {
        Files.move(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private String checksum(HttpClient http, Release release)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(
            HttpRequest.newBuilder(release.checksum()).timeout(CHECKSUM_LIMIT).build(),
            HttpResponse.BodyHandlers.ofString());
    HttpResponse<String> response;
    try {
      response = answer.get(CHECKSUM_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      closedHosts.add(release.file().getHost());
      throw new IOException(release.file().getHost() + " cannot be reached", e);
    } finally {
      answer.cancel(true);
    }
    if (response.statusCode() != 200) {
      throw new IOException(release.checksum() + " answers " + response.statusCode());
    }
    String name = release.file().getPath().replaceFirst(".*/", "");
    for (String line : response.body().lines().toList()) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length == 1 || words[1].equals(name) || words[1].equals("*" + name)) {
        return words[0].toLowerCase(Locale.ROOT);
      }
    }
    throw new IOException(release.checksum() + " says nothing about " + name);
  }

  private void downloadFile(HttpClient http, Tool tool, URI uri, Path file)
      throws IOException, InterruptedException {
    Files.deleteIfExists(file);
    CompletableFuture<HttpResponse<Path>> answer =
        http.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofFile(file));
    String what = "downloading " + tool.program() + " " + tool.version(kubernetes);
    try (Progress.Step step = progress.begin(what, () -> ", " + size(file) / 1_000_000 + " MB")) {
      long size = 0;
      long grew = System.nanoTime();
      while (true) {
        try {
          HttpResponse<Path> response = answer.get(1, TimeUnit.SECONDS);
          if (response.statusCode() != 200) {
            throw new IOException(uri + " answers " + response.statusCode());
          }
          return;
        } catch (TimeoutException e) {
          long now = size(file);
          if (now != size) {
            size = now;
            grew = System.nanoTime();
          } else if (System.nanoTime() - grew > STALL_LIMIT.toNanos()) {
            throw new IOException(uri + " stalled after " + size + " bytes", e);
          }
        } catch (ExecutionException e) {
          throw new IOException(uri + ": " + e.getCause(), e);
        }
      }
    } finally {
      answer.cancel(true);
    }
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  private static String digest(Path file, String algorithm) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void extract(Path archive, String entry, Path target)
      throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder("tar", "-xzOf", archive.toString(), entry)
            .redirectOutput(target.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (tar.waitFor() != 0) {
        throw new IOException("tar finds no " + entry + " in the archive");
      }
    } finally {
      tar.destroyForcibly();
    }
  }
}
