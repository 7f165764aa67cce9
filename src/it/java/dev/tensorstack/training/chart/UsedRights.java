package dev.tensorstack.training.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a service account did, as the API server's audit log tells, in the words of {@link Rights}.
 */
final class UsedRights {

  private final Path auditLog;
  private final String user;

  /**
   * Reads a log.
   *
   * @param auditLog the API server's
   * @param namespace the account's
   * @param account its name
   */
  UsedRights(Path auditLog, String namespace, String account) {
    this.auditLog = auditLog;
    this.user = "system:serviceaccount:" + namespace + ":" + account;
  }

  /**
   * The rights that requests needed which were not refused for want of rights.
   *
   * @return lines as of {@link Rights#given}, each request in all forms in which a role can allow
   *     it
   */
  SortedSet<String> allowed() {
    SortedSet<String> rights = new TreeSet<>();
    events(event -> event.at("/responseStatus/code").asInt() != 403)
        .forEach(
            event -> {
              add(rights, event, event.path("verb").asText());
              if (event.path("verb").asText().equals("patch")
                  && event.at("/responseStatus/code").asInt() == 201) {
                add(rights, event, "create"); // an apply of what was not there needs both
              }
            });
    return rights;
  }

  private static void add(SortedSet<String> rights, JsonNode event, String verb) {
    JsonNode object = event.path("objectRef");
    String resource = object.path("resource").asText();
    String subresource = object.path("subresource").asText();
    String line =
        Rights.line(
            object.path("apiGroup").asText(),
            resource + (subresource.isEmpty() ? "" : "/" + subresource),
            verb);
    for (String scope : new String[] {"cluster", object.path("namespace").asText()}) {
      rights.add(scope + ": " + line);
      rights.add(scope + ": " + line + " of " + object.path("name").asText());
    }
  }

  /**
   * The requests that were refused for want of rights.
   *
   * @return verb and path of each, without doubles
   */
  SortedSet<String> refused() {
    SortedSet<String> requests = new TreeSet<>();
    events(event -> event.at("/responseStatus/code").asInt() == 403)
        .forEach(
            event ->
                requests.add(
                    event.path("verb").asText() + " " + event.path("requestURI").asText()));
    return requests;
  }

  private Stream<JsonNode> events(Predicate<JsonNode> wanted) {
    try (Stream<String> lines = Files.lines(auditLog)) {
      return lines
          .filter(line -> line.contains(user) && line.endsWith("}"))
          .map(line -> ChartFiles.documents(line).get(0))
          .filter(event -> event.at("/user/username").asText().equals(user))
          .filter(event -> event.has("objectRef"))
          .filter(wanted)
          .toList()
          .stream();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
