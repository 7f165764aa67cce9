package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The last words of a container, as they get into its status. */
final class TerminationMessage {
  private static final int MAX_FILE_BYTES = 4096;
  private static final int MAX_LOG_BYTES = 2048;
  private static final int MAX_LOG_LINES = 80;

  private TerminationMessage() {}

  /**
   * Where a container writes its message, as the pod sees it.
   *
   * @param container the container
   * @return an absolute path
   */
  static String path(Container container) {
    String path = container.getTerminationMessagePath();
    return path == null || path.isEmpty() ? "/dev/termination-log" : path;
  }

  /**
   * Reads the message of a container that has ended.
   *
   * @param container the container
   * @param file the real file, which may be missing
   * @param log the container's log
   * @param failed whether it ended with another code than 0
   * @return the file's first 4096 bytes; with policy {@code FallbackToLogsOnError}, an empty file
   *     and a failure the last 2048 bytes of the last 80 lines of the log; null for nothing
   */
  static @Nullable String read(Container container, Path file, ContainerLog log, boolean failed) {
    try {
      String message = "";
      if (Files.isRegularFile(file)) {
        try (var in = Files.newInputStream(file)) {
          message = new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.UTF_8);
        }
      }
      boolean fallback = "FallbackToLogsOnError".equals(container.getTerminationMessagePolicy());
      if (message.isEmpty() && failed && fallback) {
        byte[] tail = log.tail(MAX_LOG_LINES);
        int from = Math.max(0, tail.length - MAX_LOG_BYTES);
        message = new String(tail, from, tail.length - from, StandardCharsets.UTF_8);
      }
      return message.isEmpty() ? null : message;
    } catch (IOException e) {
      return "Error reading the termination message: " + e;
    }
  }
}
