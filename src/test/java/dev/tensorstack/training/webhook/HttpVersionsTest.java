package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;

/**
 * HTTP/2 is not spoken: nobody needs it, and floods of its frames have been a vulnerability often.
 */
@QuarkusTest
class HttpVersionsTest {

  private static final int PATIENCE = 10_000;

  /** With which a client begins that knows that the server speaks HTTP/2. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  /** And its first frame, settings, without any. */
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

  /** Of stream 1: GET by its number in HPACK's table, and no end of headers. */
  private static final byte[] HEADERS_WITHOUT_END = {0, 0, 1, 1, 0, 0, 0, 0, 1, (byte) 0x82};

  private static final byte[] EMPTY_CONTINUATION = {0, 0, 0, 9, 0, 0, 0, 0, 1};

  private static final int FLOOD = 1_000;
  private static final int GO_AWAY = 7;
  private static final int ENHANCE_YOUR_CALM = 11;

  @TestHTTPResource(value = "/validate", tls = true)
  @SuppressWarnings("NullAway.Init")
  URL webhooks;

  @TestHTTPResource(value = "/metrics", management = true)
  @SuppressWarnings("NullAway.Init")
  URL management;

  @Test
  void theWebhooksPortNegotiatesNoHttp2() throws Exception {
    try (SSLSocket socket = tls("h2", "http/1.1")) {
      assertThat(socket.getApplicationProtocol()).isNotEqualTo("h2");
    }
  }

  @Test
  void anApiServerThatWouldLikeHttp2IsAnsweredInHttp1AndItsConnectionKept() throws Exception {
    try (SSLSocket socket = tls("h2", "http/1.1")) {
      for (int request = 0; request < 2; request++) {
        send(socket, "GET /nothing HTTP/1.1\r\nHost: operator\r\n\r\n");
        assertThat(status(socket)).startsWith("HTTP/1.1 404");
      }
    }
  }

  @Test
  void theWebhooksPortTakesNoHttp2ThatWasNotNegotiated() throws Exception {
    try (SSLSocket socket = tls("http/1.1")) {
      assertThat(answerToHttp2(socket)).doesNotContain("\0\0");
    }
  }

  /**
   * Quarkus has no switch for the management port's HTTP/2, without TLS; what is left of its floods
   * is that Netty ends them. This one is CVE-2026-33871: headers that go on for ever, without a
   * byte.
   */
  @Test
  void aFloodOfFramesOnTheManagementPortIsCutOff() throws Exception {
    try (Socket socket = new Socket(management.getHost(), management.getPort())) {
      socket.setSoTimeout(PATIENCE);
      send(socket, PREFACE);
      OutputStream out = socket.getOutputStream();
      out.write(SETTINGS);
      out.write(HEADERS_WITHOUT_END);
      for (int frame = 0; frame < FLOOD; frame++) {
        out.write(EMPTY_CONTINUATION);
      }
      out.flush();

      DataInputStream in = new DataInputStream(socket.getInputStream());
      int error = -1;
      for (int first = in.read(); first >= 0; first = in.read()) {
        int length = first << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.skipNBytes(1 + Integer.BYTES);
        byte[] payload = in.readNBytes(length);
        if (type == GO_AWAY) {
          error = payload[7];
        }
      }
      assertThat(error).as("why the connection was closed").isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  private SSLSocket tls(String... protocols) throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trusting()}, new SecureRandom());
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(webhooks.getHost(), webhooks.getPort());
    socket.setSoTimeout(PATIENCE);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static String answerToHttp2(Socket socket) throws IOException {
    send(socket, PREFACE);
    socket.getOutputStream().write(SETTINGS);
    socket.getOutputStream().flush();
    return new String(socket.getInputStream().readNBytes(9), StandardCharsets.ISO_8859_1);
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  /** The first line of an answer, whose rest is read. */
  private static String status(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + head);
      }
      head.append((char) next);
    }
    String text = head.toString();
    int at = text.toLowerCase(Locale.ROOT).indexOf("content-length: ");
    if (at >= 0) {
      in.readNBytes(Integer.parseInt(text.substring(at + 16, text.indexOf('\r', at))));
    }
    return text.substring(0, text.indexOf('\r'));
  }

  /** Whom the certificate is from is not what is asked here. */
  private static final class Trusting implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
