package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleaseDownloadTest {
  private static final String KUBECTL = "/v1.31.14/bin/linux/amd64/kubectl";

  private final Map<String, byte[]> published = new ConcurrentHashMap<>();
  private final Path directory;
  private final Path target;
  private final HttpServer server;
  private final ReleaseDownload download;

  ReleaseDownloadTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    target = directory.resolve(".tool.part");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = published.get(exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
          if (body != null) {
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
    URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    download = download(base);
  }

  private static ReleaseDownload download(URI base) {
    return new ReleaseDownload(
        new KubernetesVersion(31, 14),
        base,
        base,
        base,
        base,
        new Platform("linux", "amd64"),
        new Progress(
            new PrintStream(OutputStream.nullOutputStream(), true, UTF_8), Duration.ofSeconds(10)));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aFileThatFitsItsChecksumIsTaken() throws Exception {
    published.put(KUBECTL, "program".getBytes(UTF_8));
    published.put(KUBECTL + ".sha512", hash("SHA-512", "program".getBytes(UTF_8)).getBytes(UTF_8));

    assertThat(download.fetch(Tool.KUBECTL, target)).isEmpty();

    assertThat(target).hasContent("program");
  }

  @Test
  void aFileThatDoesNotFitItsChecksumIsRefused() throws Exception {
    published.put(KUBECTL, "evil".getBytes(UTF_8));
    published.put(KUBECTL + ".sha512", hash("SHA-512", "program".getBytes(UTF_8)).getBytes(UTF_8));

    Optional<String> failure = download.fetch(Tool.KUBECTL, target);

    assertThat(failure.orElseThrow()).contains("does not fit its published checksum");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aVersionThatIsNotPublishedIsRefused() throws Exception {
    assertThat(download.fetch(Tool.KUBECTL, target).orElseThrow()).contains("answers 404");
  }

  @Test
  void etcdIsTakenOutOfItsArchive() throws Exception {
    String name = "etcd-" + Tool.ETCD_VERSION + "-linux-amd64";
    Path folder = Files.createDirectories(directory.resolve("in").resolve(name));
    Files.writeString(folder.resolve("etcd"), "etcd program");
    byte[] bytes = archive(name);
    published.put("/" + Tool.ETCD_VERSION + "/" + name + ".tar.gz", bytes);
    published.put(
        "/" + Tool.ETCD_VERSION + "/SHA256SUMS",
        ("0000  other.tar.gz\n" + hash("SHA-256", bytes) + "  " + name + ".tar.gz\n")
            .getBytes(UTF_8));

    assertThat(download.fetch(Tool.ETCD, target)).isEmpty();

    assertThat(target).hasContent("etcd program");
  }

  @Test
  void helmIsTakenOutOfItsArchive() throws Exception {
    String name = "helm-" + Tool.HELM_VERSION + "-linux-amd64.tar.gz";
    Path folder = Files.createDirectories(directory.resolve("in").resolve("linux-amd64"));
    Files.writeString(folder.resolve("helm"), "helm program");
    byte[] bytes = archive("linux-amd64");
    published.put("/" + name, bytes);
    published.put(
        "/" + name + ".sha256sum", (hash("SHA-256", bytes) + "  " + name + "\n").getBytes(UTF_8));

    assertThat(download.fetch(Tool.HELM, target)).isEmpty();

    assertThat(target).hasContent("helm program");
  }

  @Test
  void promtoolIsTakenOutOfTheArchiveOfPrometheus() throws Exception {
    String name = "prometheus-" + Tool.PROMETHEUS_VERSION.substring(1) + ".linux-amd64";
    Path folder = Files.createDirectories(directory.resolve("in").resolve(name));
    Files.writeString(folder.resolve("promtool"), "promtool program");
    byte[] bytes = archive(name);
    String release = "/" + Tool.PROMETHEUS_VERSION + "/";
    published.put(release + name + ".tar.gz", bytes);
    published.put(
        release + "sha256sums.txt",
        (hash("SHA-256", bytes) + "  " + name + ".tar.gz\n").getBytes(UTF_8));

    assertThat(download.fetch(Tool.PROMTOOL, target)).isEmpty();

    assertThat(target).hasContent("promtool program");
  }

  /** The archive of a folder in {@code in}. */
  private byte[] archive(String folder) throws Exception {
    Path archive = directory.resolve("in.tar.gz");
    int exitCode =
        new ProcessBuilder(
                "tar", "-C", directory.resolve("in").toString(), "-czf", archive.toString(), folder)
            .start()
            .waitFor();
    assertThat(exitCode).isZero();
    return Files.readAllBytes(archive);
  }

  @Test
  void aClosedNetworkIsAskedOnce() throws Exception {
    server.stop(0);

    assertThat(download.fetch(Tool.KUBECTL, target).orElseThrow()).contains("cannot be reached");
    assertThat(download.fetch(Tool.KUBE_APISERVER, target).orElseThrow())
        .contains("cannot be reached");
  }

  private static String hash(String algorithm, byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
  }
}
