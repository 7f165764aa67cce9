package dev.tensorstack.training.kubectl.api;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Cuts a stream of bytes into lines, whatever pieces it comes in. A line is what stands before a
 * newline; bytes are never changed. Not safe for use by several threads at once.
 */
public final class Lines implements Consumer<ByteBuffer> {

  private final Consumer<byte[]> line;
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

  /**
   * Cuts for one reader.
   *
   * @param line is called with each whole line, without its newline
   */
  public Lines(Consumer<byte[]> line) {
    this.line = line;
  }

  @Override
  public void accept(ByteBuffer bytes) {
    byte[] piece = new byte[bytes.remaining()];
    bytes.get(piece);
    int start = 0;
    for (int i = 0; i < piece.length; i++) {
      if (piece[i] == '\n') {
        begun.write(piece, start, i - start);
        line.accept(begun.toByteArray());
        begun.reset();
        start = i + 1;
      }
    }
    begun.write(piece, start, piece.length - start);
  }

  /** The stream is over: what came after the last newline is a line, too. */
  public void end() {
    if (begun.size() > 0) {
      line.accept(begun.toByteArray());
      begun.reset();
    }
  }
}
