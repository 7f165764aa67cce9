package dev.tensorstack.training.localnode;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stands in for TensorBoard: a program that serves over HTTP what is in a directory. Answers 503
 * until the directory holds a file, so that a readiness probe has something to find out.
 */
final class DirectoryServer {

  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private DirectoryServer() {}

  /**
   * Serves until it is killed.
   *
   * @param arguments {@code --logdir=DIRECTORY --host=ADDRESS --port=NUMBER}
   * @throws IOException when the port is taken
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(value("--logdir=", arguments));
    InetSocketAddress address =
        new InetSocketAddress(
            value("--host=", arguments), Integer.parseInt(value("--port=", arguments)));
    HttpServer server = HttpServer.create(address, 0);
    server.createContext(
        "/",
        exchange -> {
          String files = files(directory);
          byte[] body = files.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(files.isEmpty() ? UNAVAILABLE : OK, body.length + 1L);
          exchange.getResponseBody().write(body);
          exchange.getResponseBody().write('\n');
          exchange.close();
        });
    server.start();
  }

  private static String files(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return "";
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .sorted()
          .collect(Collectors.joining("\n"));
    }
  }

  private static String value(String option, String... arguments) {
    return Stream.of(arguments)
        .filter(argument -> argument.startsWith(option))
        .map(argument -> argument.substring(option.length()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + option));
  }
}
