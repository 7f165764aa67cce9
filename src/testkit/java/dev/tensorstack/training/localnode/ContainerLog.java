package dev.tensorstack.training.localnode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/**
 * The log of one run of a container, in a file of the format that container runtimes write: {@code
 * <time> stdout F|P <text>}, P for a piece of a line that goes on in the next record.
 */
final class ContainerLog {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.nnnnnnnnn'Z'").withZone(ZoneOffset.UTC);
  private static final int CHUNK = 16 * 1024;

  private final Path file;
  private long written;
  private long lines;
  private boolean inLine;
  private boolean closed;

  /**
   * An empty log.
   *
   * @param file the file to write, replaced when there is one
   */
  ContainerLog(Path file) {
    this.file = file;
    try {
      Files.write(file, new byte[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes everything that comes from a stream, with the time at which it came.
   *
   * @param from the stream, read to its end
   */
  void pump(InputStream from) {
    byte[] buffer = new byte[CHUNK];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
        append(out, buffer, count);
      }
    } catch (IOException e) {
      System.getLogger(ContainerLog.class.getName())
          .log(System.Logger.Level.DEBUG, "The log {0} ends early: {1}", file, e);
    }
  }

  /** Ends the log: those who follow it see its end. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /**
   * Copies what is asked for; with {@code follow} until the log is closed.
   *
   * @param query what to copy
   * @param out where to; flushed whenever there is nothing more for now
   * @throws IOException if it cannot be written
   */
  void copy(LogQuery query, OutputStream out) throws IOException {
    LogRecords records = new LogRecords(query, out, firstLine(query));
    long position = 0;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      while (!records.done()) {
        long available = available(position, query.follow(), out);
        if (available == 0) {
          break;
        }
        byte[] chunk = new byte[(int) Math.min(available, CHUNK)];
        in.seek(position);
        in.readFully(chunk);
        position += chunk.length;
        records.feed(chunk);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    out.flush();
  }

  /**
   * The last lines.
   *
   * @param count how many
   * @return their bytes, without times
   * @throws IOException if the file cannot be read
   */
  byte[] tail(long count) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    copy(new LogQuery(false, false, false, count, null, null), bytes);
    return bytes.toByteArray();
  }

  private synchronized long firstLine(LogQuery query) {
    Long tail = query.tailLines();
    return tail == null ? 0 : Math.max(0, lines + (inLine ? 1 : 0) - tail);
  }

  private long available(long position, boolean follow, OutputStream out)
      throws IOException, InterruptedException {
    if (follow && written() == position) {
      out.flush();
    }
    synchronized (this) {
      while (follow && written == position && !closed) {
        wait();
      }
      return written - position;
    }
  }

  private synchronized long written() {
    return written;
  }

  private void append(OutputStream out, byte[] bytes, int count) throws IOException {
    byte[] time = TIME.format(Instant.now()).getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream records = new ByteArrayOutputStream(count + 128);
    long complete = 0;
    boolean open = inLine;
    int start = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        record(records, time, 'F', Arrays.copyOfRange(bytes, start, i));
        start = i + 1;
        complete++;
        open = false;
      }
    }
    if (start < count) {
      record(records, time, 'P', Arrays.copyOfRange(bytes, start, count));
      open = true;
    }
    records.writeTo(out);
    synchronized (this) {
      written += records.size();
      lines += complete;
      inLine = open;
      notifyAll();
    }
  }

  private static void record(OutputStream out, byte[] time, char kind, byte[] text)
      throws IOException {
    out.write(time);
    out.write((" stdout " + kind + " ").getBytes(StandardCharsets.US_ASCII));
    out.write(text);
    out.write('\n');
  }
}
