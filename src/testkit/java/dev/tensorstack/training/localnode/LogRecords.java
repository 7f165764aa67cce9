package dev.tensorstack.training.localnode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Reads the records of a log file and writes those that a query asks for. */
final class LogRecords {
  /** Length of the time, {@code 2026-01-31T12:00:00.000000000Z}. */
  private static final int TIME_LENGTH = 30;

  private static final int HEADER_LENGTH = TIME_LENGTH + " stdout F ".length();

  private final LogQuery query;
  private final OutputStream out;
  private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
  private long linesToSkip;
  private long bytesLeft;
  private boolean lineStart = true;

  /**
   * A reader at the beginning of the file.
   *
   * @param query what is asked for
   * @param out where it goes
   * @param linesToSkip how many lines to leave out at the beginning
   */
  LogRecords(LogQuery query, OutputStream out, long linesToSkip) {
    this.query = query;
    this.out = out;
    this.linesToSkip = linesToSkip;
    Long limit = query.limitBytes();
    this.bytesLeft = limit == null ? Long.MAX_VALUE : limit;
  }

  /**
   * Takes the next bytes of the file.
   *
   * @param bytes any number of bytes, which need not end with a record
   * @throws IOException if the output cannot be written
   */
  void feed(byte[] bytes) throws IOException {
    int start = 0;
    for (int i = 0; i < bytes.length && !done(); i++) {
      if (bytes[i] == '\n') {
        pending.write(bytes, start, i - start);
        record(pending.toByteArray());
        pending.reset();
        start = i + 1;
      }
    }
    pending.write(bytes, start, bytes.length - start);
  }

  /**
   * Whether the limit of the query is reached.
   *
   * @return true when no more is wanted
   */
  boolean done() {
    return bytesLeft <= 0;
  }

  private void record(byte[] record) throws IOException {
    boolean ends = record[HEADER_LENGTH - 2] == 'F';
    if (linesToSkip > 0) {
      linesToSkip -= ends ? 1 : 0;
      return;
    }
    String time = new String(record, 0, TIME_LENGTH, StandardCharsets.US_ASCII);
    Instant since = query.since();
    if (since != null && Instant.parse(time).isBefore(since)) {
      return;
    }
    if (query.timestamps() && lineStart) {
      write((time + " ").getBytes(StandardCharsets.US_ASCII), 0, TIME_LENGTH + 1);
    }
    write(record, HEADER_LENGTH, record.length - HEADER_LENGTH);
    if (ends) {
      write(new byte[] {'\n'}, 0, 1);
    }
    lineStart = ends;
  }

  private void write(byte[] bytes, int from, int length) throws IOException {
    int count = (int) Math.min(length, bytesLeft);
    out.write(bytes, from, count);
    bytesLeft -= count;
  }
}
