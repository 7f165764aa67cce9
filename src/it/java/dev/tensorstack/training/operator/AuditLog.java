package dev.tensorstack.training.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.controlplane.ControlPlane;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a user wrote, as the API server's audit log tells, from a moment on. */
final class AuditLog {

  private static final Set<String> READS = Set.of("get", "list", "watch");

  private final Path file;
  private final String user;
  private final long begin;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * A write.
   *
   * @param verb for example create
   * @param resource with the subresource: {@code pytorchtrainingjobs/status}
   * @param namespace where
   * @param name the object's name, empty when the request did not have it
   * @param code how it was answered
   * @param time when the request arrived, to the microsecond
   */
  record Write(String verb, String resource, String namespace, String name, int code, String time) {
    String what() {
      return verb + " " + resource;
    }
  }

  private AuditLog(Path file, String user) throws IOException {
    this.file = file;
    this.user = user;
    this.begin = Files.size(file);
  }

  /** The log of a user's writes from now on. */
  static AuditLog fromNowOn(ControlPlane controlPlane, String user) {
    try {
      return new AuditLog(controlPlane.auditLog(), user);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The writes since the beginning, whatever the answer was. */
  List<Write> writes() {
    List<Write> writes = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(file);
        BufferedReader lines =
            new BufferedReader(
                Channels.newReader(channel.position(begin), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.contains(user) && line.endsWith("}")) {
          JsonNode event = json.readTree(line);
          if (user.equals(event.path("user").path("username").asText())
              && !READS.contains(event.path("verb").asText())) {
            writes.add(write(event));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writes;
  }

  /** The writes in a namespace. */
  List<Write> writes(String namespace) {
    return writes().stream().filter(write -> write.namespace().equals(namespace)).toList();
  }

  private static Write write(JsonNode event) {
    JsonNode object = event.path("objectRef");
    String subresource = object.path("subresource").asText();
    return new Write(
        event.path("verb").asText(),
        object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.path("responseStatus").path("code").asInt(),
        event.path("requestReceivedTimestamp").asText());
  }
}
