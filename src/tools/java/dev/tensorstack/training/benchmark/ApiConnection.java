package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Locale;

/** One connection to the API server, for one request at a time. */
final class ApiConnection implements AutoCloseable {

  private static final int BUFFER = 1 << 15;
  private static final int NO_CONTENT = 204;
  private static final int HEXADECIMAL = 16;
  private static final byte[] LINE_END = {'\r', '\n'};

  private final Socket socket;
  private final InputStream in;
  private long lastUse = System.nanoTime();

  ApiConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), BUFFER);
  }

  /** How long it has been idle, in nanoseconds. */
  long idle() {
    return System.nanoTime() - lastUse;
  }

  /** Sends a request, head and body together. */
  void send(byte[] head, byte[] body) throws IOException {
    byte[] all = new byte[head.length + body.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    socket.getOutputStream().write(all);
    socket.getOutputStream().flush();
  }

  /** Reads a whole answer. */
  Api.Answer receive() throws IOException {
    int code = Integer.parseInt(line().split(" ", 3)[1]);
    long length = headers();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (length < 0) {
      for (int size = chunk(); size > 0; size = chunk()) {
        body.write(in.readNBytes(size));
        String unused = line();
      }
      String unused = line();
    } else if (code != NO_CONTENT) {
      body.write(in.readNBytes((int) length));
    }
    lastUse = System.nanoTime();
    return new Api.Answer(code, body.toString(UTF_8));
  }

  /** Reads the head of an answer whose body goes on; the lines of the body follow. */
  int receiveHead() throws IOException {
    int code = Integer.parseInt(line().split(" ", 3)[1]);
    long unused = headers();
    return code;
  }

  /** The body of an answer in chunks, as it comes, without the limits of the chunks. */
  InputStream chunks() {
    return new InputStream() {
      private int left;
      private boolean ended;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        if (ended) {
          return -1;
        }
        if (left == 0) {
          left = chunk();
          if (left == 0) {
            ended = true;
            return -1;
          }
        }
        int read = in.read(buffer, offset, Math.min(left, length));
        if (read < 0) {
          ended = true;
          return -1;
        }
        left -= read;
        if (left == 0) {
          String unused = line();
        }
        return read;
      }
    };
  }

  /** How long to wait for the next byte, in milliseconds. */
  void limit(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  /** Skips the headers; the length of the body, -1 for chunks. */
  private long headers() throws IOException {
    long length = -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Long.parseLong(lower.substring(lower.indexOf(':') + 1).strip());
      }
    }
    return length;
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line().split(";", 2)[0].strip(), HEXADECIMAL);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(64);
    for (int next = in.read(); next != LINE_END[1]; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the API server has closed the connection");
      }
      if (next != LINE_END[0]) {
        line.write(next);
      }
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // closed by the other side
    }
  }
}
