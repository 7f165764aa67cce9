package dev.tensorstack.training.apiproxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One client connection: HTTP/1.1 requests one after another, until one becomes a WebSocket. */
final class Connection implements Runnable {

  private static final int BUFFER = 1 << 14;

  /** The API server closes what is idle for long; a request must not run into that. */
  private static final long MOST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ApiProxy proxy;
  private final Side client;
  private @Nullable Side server;
  private long lastUse;

  /** A socket with its streams. */
  private static final class Side {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Side(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream(), BUFFER);
      this.out = new BufferedOutputStream(socket.getOutputStream(), BUFFER);
    }
  }

  /** The first line and the headers of a message. */
  private record Head(String line, List<String> headers) {
    static @Nullable Head read(InputStream in) throws IOException {
      String line = readLine(in);
      if (line == null) {
        return null;
      }
      List<String> headers = new ArrayList<>();
      for (String header = readLine(in); !"".equals(header); header = readLine(in)) {
        if (header == null) {
          throw new EOFException();
        }
        headers.add(header);
      }
      return new Head(line, headers);
    }

    String header(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ":";
      for (String header : headers) {
        if (header.toLowerCase(Locale.ROOT).startsWith(prefix)) {
          return header.substring(prefix.length()).strip();
        }
      }
      return "";
    }

    boolean chunked() {
      return header("Transfer-Encoding").equalsIgnoreCase("chunked");
    }

    void write(OutputStream out) throws IOException {
      String text = line + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
      out.write(text.getBytes(ISO_8859_1));
    }
  }

  Connection(ApiProxy proxy, Socket client) throws IOException {
    this.proxy = proxy;
    this.client = new Side(client);
  }

  @Override
  public void run() {
    try {
      boolean more = true;
      while (more) {
        more = serve();
      }
    } catch (IOException e) {
      // one side went away: so does the other
    } finally {
      proxy.close(client.socket);
      disconnect();
    }
  }

  private boolean serve() throws IOException {
    Head head = Head.read(client.in);
    if (head == null) {
      return false;
    }
    String[] words = head.line().split(" ");
    byte[] body = readBody(head, client.in);
    ApiRequest request = new ApiRequest(words[0], words[1], body);
    Verdict verdict = proxy.arrived(request);
    if (verdict.kind() != Verdict.Kind.PASS) {
      return instead(request, verdict);
    }
    Side upstream = connected();
    forwarded(head, body).write(upstream.out);
    upstream.out.write(body);
    upstream.out.flush();
    Head answer = Head.read(upstream.in);
    if (answer == null) {
      return false;
    }
    int code = Integer.parseInt(answer.line().split(" ")[1]);
    request.answered(code);
    verdict = proxy.answered(request);
    if (verdict.kind() == Verdict.Kind.TRUNCATE) {
      answer.write(client.out);
      client.out.flush();
      if (code == 101 || request.verb().equals("watch")) {
        proxyUpstream(upstream);
        copyAtMost(upstream.in, client.out, verdict.code());
      } else {
        cutShort(answer, readBody(answer, upstream.in), verdict.code());
      }
      return false;
    }
    if (verdict.kind() != Verdict.Kind.PASS) {
      disconnect();
      return instead(request, verdict);
    }
    answer.write(client.out);
    if (code == 101) {
      client.out.flush();
      becomeTunnel(upstream);
      return false;
    }
    boolean bodyless = words[0].equals("HEAD") || code == 204 || code == 304;
    boolean reusable = bodyless || copyBody(answer, upstream.in, client.out);
    client.out.flush();
    lastUse = System.nanoTime();
    return reusable;
  }

  /** Drops the request or answers it; says whether the connection goes on. */
  private boolean instead(ApiRequest request, Verdict verdict) throws IOException {
    if (verdict.kind() == Verdict.Kind.DROP) {
      return false;
    }
    request.answered(verdict.code());
    client.out.write(verdict.toResponse().getBytes(ISO_8859_1));
    client.out.flush();
    return true;
  }

  private Head forwarded(Head head, byte[] body) {
    List<String> headers = new ArrayList<>();
    for (String header : head.headers()) {
      String name = header.substring(0, Math.max(0, header.indexOf(':'))).toLowerCase(Locale.ROOT);
      switch (name) {
        case "authorization", "content-length", "transfer-encoding" -> {}
        default -> headers.add(header);
      }
    }
    headers.add("Authorization: Bearer " + proxy.token());
    if (body.length > 0 || !head.line().startsWith("GET ")) {
      headers.add("Content-Length: " + body.length);
    }
    return new Head(head.line(), headers);
  }

  private Side connected() throws IOException {
    Side present = server;
    if (present != null && System.nanoTime() - lastUse < MOST_IDLE_NANOS) {
      return present;
    }
    disconnect();
    Side fresh = new Side(proxy.connect());
    server = fresh;
    return fresh;
  }

  private void disconnect() {
    if (server != null) {
      proxy.close(server.socket);
      server = null;
    }
  }

  private void becomeTunnel(Side upstream) throws IOException {
    proxyUpstream(upstream);
    copyUntilEnd(upstream.in, client.out);
  }

  /** Passes on what the client says, in a thread, until one side is closed. */
  private void proxyUpstream(Side upstream) {
    ApiProxy.inThread(
        "proxy-tunnel",
        () -> {
          try {
            copyUntilEnd(client.in, upstream.out);
          } catch (IOException e) {
            // the end of the tunnel
          } finally {
            proxy.close(upstream.socket);
          }
        });
  }

  private static byte[] readBody(Head head, InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (head.chunked()) {
      for (long size = chunkSize(in); size > 0; size = chunkSize(in)) {
        copy(in, body, size);
        String unused = readLine(in);
      }
      String unused = readLine(in);
    } else if (!head.header("Content-Length").isEmpty()) {
      copy(in, body, Long.parseLong(head.header("Content-Length")));
    }
    return body.toByteArray();
  }

  /** Sends less of a body than was promised; the caller closes the connection then. */
  private void cutShort(Head answer, byte[] body, int most) throws IOException {
    if (answer.chunked()) {
      client.out.write((Integer.toHexString(body.length + 1) + "\r\n").getBytes(ISO_8859_1));
    }
    client.out.write(body, 0, Math.min(most, Math.max(0, body.length - 1)));
    client.out.flush();
  }

  /** Passes a body on as it comes; says whether another message can follow it. */
  private static boolean copyBody(Head head, InputStream in, OutputStream out) throws IOException {
    if (head.chunked()) {
      long size;
      do {
        size = chunkSize(in);
        out.write((Long.toHexString(size) + "\r\n").getBytes(ISO_8859_1));
        copy(in, out, size);
        String unused = readLine(in);
        out.write("\r\n".getBytes(ISO_8859_1));
        if (in.available() == 0) {
          out.flush();
        }
      } while (size > 0);
      return true;
    }
    if (head.header("Content-Length").isEmpty()) {
      copyUntilEnd(in, out);
      return false;
    }
    copy(in, out, Long.parseLong(head.header("Content-Length")));
    return true;
  }

  private static long chunkSize(InputStream in) throws IOException {
    String line = readLine(in);
    if (line == null) {
      throw new EOFException();
    }
    return Long.parseLong(line.split(";")[0].strip(), 16);
  }

  private static void copy(InputStream in, OutputStream out, long count) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (long left = count; left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new EOFException();
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  private static void copyAtMost(InputStream in, OutputStream out, int most) throws IOException {
    byte[] buffer = new byte[BUFFER];
    int left = most;
    while (left > 0) {
      int read = in.read(buffer, 0, Math.min(buffer.length, left));
      if (read < 0) {
        return;
      }
      out.write(buffer, 0, read);
      out.flush();
      left -= read;
    }
  }

  private static void copyUntilEnd(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      out.write(buffer, 0, read);
      if (in.available() == 0) {
        out.flush();
      }
    }
    out.flush();
  }

  private static @Nullable String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return null;
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}
