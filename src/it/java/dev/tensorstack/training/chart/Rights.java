package dev.tensorstack.training.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What a service account may do, each right as one line, for comparisons. */
final class Rights {

  private static final Pattern CODE = Pattern.compile("`([^`]+)`|(core)");
  private static final Pattern VERB =
      Pattern.compile("\\b(get|list|watch|create|update|patch|delete)\\b");

  private Rights() {}

  /**
   * The rights that manifests give to a service account.
   *
   * @param objects roles and bindings among others
   * @param account the account's name
   * @return lines like {@code cluster: pods get}, with the namespace of a Role instead of cluster
   */
  static SortedSet<String> given(List<JsonNode> objects, String account) {
    SortedSet<String> rights = new TreeSet<>();
    for (JsonNode binding : objects) {
      if (!binding.path("kind").asText().endsWith("RoleBinding")
          || !binding.at("/subjects/0/name").asText().equals(account)) {
        continue;
      }
      String scope =
          binding.path("kind").asText().equals("ClusterRoleBinding")
              ? "cluster"
              : binding.at("/metadata/namespace").asText();
      JsonNode role =
          objects.stream()
              .filter(object -> object.path("kind").equals(binding.at("/roleRef/kind")))
              .filter(object -> object.at("/metadata/name").equals(binding.at("/roleRef/name")))
              .filter(
                  object ->
                      object
                          .at("/metadata/namespace")
                          .asText()
                          .equals(scope.equals("cluster") ? "" : scope))
              .findFirst()
              .orElseThrow(() -> new AssertionError("there is no role of " + binding));
      role.path("rules").forEach(rule -> add(rights, scope, rule));
    }
    return rights;
  }

  private static void add(SortedSet<String> rights, String scope, JsonNode rule) {
    for (JsonNode group : rule.path("apiGroups")) {
      for (JsonNode resource : rule.path("resources")) {
        for (JsonNode verb : rule.path("verbs")) {
          String right = scope + ": " + line(group.asText(), resource.asText(), verb.asText());
          if (rule.path("resourceNames").isEmpty()) {
            rights.add(right);
          }
          rule.path("resourceNames").forEach(name -> rights.add(right + " of " + name.asText()));
        }
      }
    }
  }

  /** A right without its scope: {@code deployments.apps patch}. */
  static String line(String group, String resource, String verb) {
    return (group.isEmpty() ? resource : resource + "." + group) + " " + verb;
  }

  /**
   * The rights that the table in SECURITY.md lists, as in a cluster-wide role.
   *
   * @param page the page's text
   * @return lines as of {@link #given}
   */
  static SortedSet<String> told(String page) {
    SortedSet<String> rights = new TreeSet<>();
    page.lines()
        .filter(line -> line.startsWith("| `") || line.startsWith("| core"))
        .forEach(
            line -> {
              String[] cells = line.split("\\|", -1);
              for (String group : codes(cells[1])) {
                for (String resource : codes(cells[2])) {
                  VERB.matcher(cells[3])
                      .results()
                      .map(MatchResult::group)
                      .forEach(
                          verb ->
                              rights.add(
                                  "cluster: "
                                      + line(group.equals("core") ? "" : group, resource, verb)));
                }
              }
            });
    return rights;
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell)
        .results()
        .map(code -> code.group(1) == null ? code.group(2) : code.group(1))
        .toList();
  }
}
