package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads the requests that the API server has answered, from its audit log, as they come. */
final class AuditTrail {

  private static final int CREATED = 201;
  private static final int FIRST_FAILURE = 400;

  private final ObjectMapper mapper = new ObjectMapper();
  private final Path log;
  private long offset;

  /** A request that was answered. */
  record Request(
      Instant answered,
      String user,
      String verb,
      String resource,
      String namespace,
      String name,
      int code) {

    boolean failed() {
      return code >= FIRST_FAILURE;
    }

    /** What was asked for, as a row of a table: {@code create pods}. */
    String kind() {
      return verb + " " + resource;
    }

    boolean createdPod(String inNamespace) {
      return code == CREATED && kind().equals("create pods") && namespace.equals(inNamespace);
    }
  }

  /** A trail that begins at the log's present end. */
  AuditTrail(Path log) throws IOException {
    this.log = log;
    this.offset = log.toFile().length();
  }

  /** The requests answered since the last call. */
  List<Request> next() throws IOException {
    List<Request> requests = new ArrayList<>();
    for (String line : newLines()) {
      JsonNode event = mapper.readTree(line);
      JsonNode object = event.path("objectRef");
      String subresource = object.path("subresource").asText("");
      requests.add(
          new Request(
              Instant.parse(event.path("stageTimestamp").asText()),
              event.path("user").path("username").asText(""),
              event.path("verb").asText(""),
              object.path("resource").asText("") + (subresource.isEmpty() ? "" : "/" + subresource),
              object.path("namespace").asText(""),
              object.path("name").asText(""),
              event.path("responseStatus").path("code").asInt()));
    }
    return requests;
  }

  private List<String> newLines() throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      file.seek(offset);
      byte[] buffer = new byte[1 << 16];
      for (int count = file.read(buffer); count > 0; count = file.read(buffer)) {
        read.write(buffer, 0, count);
      }
    }
    byte[] bytes = read.toByteArray();
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    offset += end;
    return new String(bytes, 0, end, StandardCharsets.UTF_8).lines().toList();
  }
}
