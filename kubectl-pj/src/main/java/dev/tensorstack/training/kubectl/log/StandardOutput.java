package dev.tensorstack.training.kubectl.log;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** Standard output that tells when nobody reads it any more, as after {@code | head}. */
public final class StandardOutput extends OutputStream {

  private final PrintStream out;

  /**
   * Writes to a stream.
   *
   * @param out standard output
   */
  public StandardOutput(PrintStream out) {
    super();
    this.out = out;
  }

  @Override
  public void write(int one) {
    out.write(one);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    out.write(bytes, offset, length);
  }

  @Override
  public void flush() throws IOException {
    if (out.checkError()) {
      throw new IOException("nobody reads standard output any more");
    }
  }
}
