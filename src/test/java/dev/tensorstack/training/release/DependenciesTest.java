package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The libraries that are resolved have no vulnerability that was known when this was written. The
 * scan (.github/workflows/scan.yml) knows all of them, but needs the network; these versions stay,
 * whatever a bill of materials brings.
 */
class DependenciesTest {

  @ParameterizedTest(name = "{0} {2}: {3}")
  @CsvSource({
    // Requests that a proxy sees differently.
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.132, CVE-2026-33870",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.133, CVE-2026-42581",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.133, CVE-2026-42584",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.133, CVE-2026-41417",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.135, CVE-2026-50020",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.137, CVE-2026-59903",
    "netty-codec-http, io.netty.handler.codec.http.HttpObjectDecoder, 4.1.138, CVE-2026-89044",
    // Floods of frames.
    "netty-codec-http2, io.netty.handler.codec.http2.Http2FrameReader, 4.1.132, CVE-2026-33871",
    "netty-codec-http2, io.netty.handler.codec.http2.Http2FrameReader, 4.1.133, CVE-2026-42587",
    "netty-codec-http2, io.netty.handler.codec.http2.Http2FrameReader, 4.1.135, CVE-2026-50560",
    // TLS.
    "netty-handler, io.netty.handler.ssl.SslHandler, 4.1.135, CVE-2026-50010",
    "netty-handler, io.netty.handler.ssl.SslHandler, 4.1.135, CVE-2026-45416",
    "netty-handler, io.netty.handler.ssl.SslHandler, 4.1.135, CVE-2026-44249",
    "netty-handler-proxy, io.netty.handler.proxy.HttpProxyHandler, 4.1.133, CVE-2026-42578",
    "vertx-core, io.vertx.core.Vertx, 4.5.24, CVE-2026-1002",
    "vertx-core, io.vertx.core.Vertx, 4.5.27, CVE-2026-6860",
    "bcprov-jdk18on, org.bouncycastle.jce.provider.BouncyCastleProvider, 1.84, CVE-2025-14813",
    "bcprov-jdk18on, org.bouncycastle.jce.provider.BouncyCastleProvider, 1.84, CVE-2026-0636",
    "bcprov-jdk18on, org.bouncycastle.jce.provider.BouncyCastleProvider, 1.84, CVE-2026-5598",
    "bcprov-jdk18on, org.bouncycastle.jce.provider.BouncyCastleProvider, 1.85, CVE-2026-8763",
    "bcprov-jdk18on, org.bouncycastle.jce.provider.BouncyCastleProvider, 1.85, CVE-2026-59650",
    "bcpkix-jdk18on, org.bouncycastle.cert.X509CertificateHolder, 1.84, CVE-2026-5588",
    "jackson-databind, com.fasterxml.jackson.databind.ObjectMapper, 2.21.4, CVE-2026-54512",
    "jackson-databind, com.fasterxml.jackson.databind.ObjectMapper, 2.21.4, CVE-2026-54513",
    "jackson-databind, com.fasterxml.jackson.databind.ObjectMapper, 2.21.5, CVE-2026-54515",
    "jackson-databind, com.fasterxml.jackson.databind.ObjectMapper, 2.21.6, CVE-2026-83557",
  })
  void aVulnerabilityThatIsKnownIsMended(
      String artifact, String type, String mendedIn, String vulnerability) throws Exception {
    String version = version(artifact, Class.forName(type));
    assertThat(Arrays.compare(numbers(version), numbers(mendedIn)))
        .as("%s %s has %s, which %s mends", artifact, version, vulnerability, mendedIn)
        .isNotNegative();
  }

  /** Quarkus' and the operator SDK's bills of materials name versions of their own. */
  @ParameterizedTest
  @CsvSource({"io/netty", "io/vertx", "org/bouncycastle", "com/fasterxml/jackson"})
  void librariesThatBelongTogetherHaveOneVersion(String group) throws IOException {
    // As in the local repository: GROUP/ARTIFACT/VERSION/JAR.
    Pattern jar = Pattern.compile("/" + group + "/(?:[^/]+/)*([^/]+)/[^/]+\\.jar!");
    Set<String> versions = new TreeSet<>();
    for (URL manifest :
        Collections.list(getClass().getClassLoader().getResources("META-INF/MANIFEST.MF"))) {
      Matcher matcher = jar.matcher(manifest.getPath());
      if (matcher.find()) {
        versions.add(matcher.group(1));
      }
    }
    versions.remove("2.21"); // jackson-annotations has one version for all of the line
    assertThat(versions).as(group).hasSize(1);
  }

  @Test
  void versionsAreComparedByNumber() {
    assertThat(Arrays.compare(numbers("4.1.9.Final"), numbers("4.1.132"))).isNegative();
    assertThat(Arrays.compare(numbers("4.1.140.Final"), numbers("4.1.140"))).isZero();
    assertThat(Arrays.compare(numbers("2.21.6"), numbers("2.21"))).isPositive();
  }

  /** As the jar is called that the class comes from. */
  private static String version(String artifact, Class<?> type) {
    Path jar =
        Path.of(
            Objects.requireNonNull(type.getProtectionDomain().getCodeSource())
                .getLocation()
                .getPath());
    String name = jar.getName(jar.getNameCount() - 1).toString();
    assertThat(name).startsWith(artifact + "-").endsWith(".jar");
    return name.substring(artifact.length() + 1, name.length() - ".jar".length());
  }

  private static int[] numbers(String version) {
    return Stream.of(version.split("[.-]"))
        .filter(part -> part.matches("\\d+"))
        .mapToInt(Integer::parseInt)
        .toArray();
  }
}
