package dev.tensorstack.training.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServiceCheckTest {

  private final HttpServer server;
  private final AtomicInteger calls = new AtomicInteger();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  ServiceCheckTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    answers("/well", 0);
    answers("/ready-at-the-third", 2);
    answers("/never", Integer.MAX_VALUE);
    server.start();
  }

  private void answers(String path, int failures) {
    server.createContext(
        path,
        exchange -> {
          exchange.sendResponseHeaders(calls.incrementAndGet() > failures ? 200 : 503, -1);
          exchange.close();
        });
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void isWellWhenAllAddressesAnswer() {
    assertThat(check(Duration.ofSeconds(30), http("/well"), tcp())).isTrue();

    assertThat(out.toString(UTF_8)).contains("/well: answers", "tcp://127.0.0.1");
  }

  @Test
  void waitsForOneThatIsNotReadyYet() {
    assertThat(check(Duration.ofSeconds(30), http("/ready-at-the-third"))).isTrue();

    assertThat(calls).hasValue(3);
  }

  @Test
  void saysWhichOneDoesNotAnswer() {
    assertThat(check(Duration.ZERO, http("/well"), http("/never"))).isFalse();

    assertThat(out.toString(UTF_8)).contains("/well: answers\n", "/never: answers 503");
  }

  @Test
  void isNotWellWhenNothingListens() {
    URI address = tcp();
    server.stop(0);

    assertThat(check(Duration.ZERO, address)).isFalse();
    assertThat(out.toString(UTF_8)).contains("ConnectException");
  }

  @Test
  void isNotWellWithoutAnAddressOrWithAnotherScheme() {
    assertThat(check(Duration.ZERO)).isFalse();
    assertThat(check(Duration.ZERO, URI.create("ftp://127.0.0.1/"))).isFalse();
  }

  private boolean check(Duration limit, URI... addresses) {
    return new ServiceCheck(limit, new PrintStream(out, true, UTF_8)).answer(List.of(addresses));
  }

  private URI http(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  private URI tcp() {
    return URI.create("tcp://127.0.0.1:" + server.getAddress().getPort());
  }
}
