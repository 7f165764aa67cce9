package dev.tensorstack.training.apiproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A request that went through the proxy, in the words of RBAC, and how it was answered. */
public final class ApiRequest {

  private static final Set<String> WRITES =
      Set.of("create", "update", "patch", "delete", "deletecollection");

  private final Instant arrival = Instant.now();
  private final String path;
  private final String query;
  private final String verb;
  private final String resource;
  private final String namespace;
  private final String name;
  private volatile byte[] body;
  private volatile int code;

  ApiRequest(String method, String target, byte[] body) {
    int question = target.indexOf('?');
    this.path = question < 0 ? target : target.substring(0, question);
    this.query = question < 0 ? "" : target.substring(question + 1);
    this.body = body;
    List<String> words = Arrays.stream(path.split("/")).filter(word -> !word.isEmpty()).toList();
    int skipped =
        words.isEmpty() ? 0 : words.get(0).equals("api") ? 2 : words.get(0).equals("apis") ? 3 : 0;
    words = skipped == 0 ? List.of() : words.subList(Math.min(skipped, words.size()), words.size());
    boolean namespaced = words.size() > 2 && words.get(0).equals("namespaces");
    this.namespace = namespaced ? words.get(1) : "";
    words = namespaced ? words.subList(2, words.size()) : words;
    this.name = words.size() > 1 ? words.get(1) : "";
    this.resource =
        words.isEmpty() ? "" : words.size() > 2 ? words.get(0) + "/" + words.get(2) : words.get(0);
    this.verb = verb(method, query, name);
  }

  private static String verb(String method, String query, String name) {
    return switch (method) {
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      case "DELETE" -> name.isEmpty() ? "deletecollection" : "delete";
      case "GET" -> query.contains("watch=true") ? "watch" : name.isEmpty() ? "list" : "get";
      default -> method;
    };
  }

  /**
   * When its last byte arrived at the proxy.
   *
   * @return the time
   */
  public Instant arrival() {
    return arrival;
  }

  /**
   * The path without the query.
   *
   * @return for example {@code /api/v1/namespaces/a/pods}
   */
  public String path() {
    return path;
  }

  /**
   * The query as sent.
   *
   * @return what follows the question mark, possibly nothing
   */
  public String query() {
    return query;
  }

  /**
   * What is done.
   *
   * @return create, update, patch, delete, deletecollection, get, list or watch
   */
  public String verb() {
    return verb;
  }

  /**
   * To what it is done.
   *
   * @return the plural, with the subresource: {@code pods}, {@code pytorchtrainingjobs/status};
   *     empty for paths that are no resource
   */
  public String resource() {
    return resource;
  }

  /**
   * Where.
   *
   * @return the namespace, possibly empty
   */
  public String namespace() {
    return namespace;
  }

  /**
   * The object's name in the path.
   *
   * @return empty for creations and lists
   */
  public String name() {
    return name;
  }

  /**
   * What was sent.
   *
   * @return the body as text; empty in the record unless the proxy keeps bodies
   */
  public String body() {
    return new String(body, UTF_8);
  }

  /**
   * How it was answered.
   *
   * @return the status code that the API server gave, or the injected one; 0 when there was none
   */
  public int code() {
    return code;
  }

  /**
   * Whether it changes something.
   *
   * @return true for all verbs but get, list and watch
   */
  public boolean isWrite() {
    return WRITES.contains(verb);
  }

  /**
   * Whether it is this kind of request.
   *
   * @param expectedVerb for example {@code create}
   * @param expectedResource for example {@code pods}
   * @return true when both are the same
   */
  public boolean is(String expectedVerb, String expectedResource) {
    return verb.equals(expectedVerb) && resource.equals(expectedResource);
  }

  byte[] bytes() {
    return body;
  }

  void answered(int status) {
    code = status;
  }

  void forgetBody() {
    body = new byte[0];
  }

  @Override
  public String toString() {
    return verb
        + " "
        + resource
        + " "
        + namespace
        + (name.isEmpty() ? "" : "/" + name)
        + " -> "
        + code;
  }
}
