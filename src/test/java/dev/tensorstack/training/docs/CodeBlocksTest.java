package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.reference.CrdManifest;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;

/** What stands in the blocks of code is what it says it is. */
class CodeBlocksTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> LANGUAGES =
      Set.of(
          "sh",
          "console",
          "yaml",
          "json",
          "java",
          "python",
          "text",
          "promql",
          "properties",
          "mermaid");
  private static final JsonNode SCHEMA = schema();

  private static JsonNode schema() {
    return JSON.<JsonNode>valueToTree(new Yaml().<Object>load(CrdManifest.generate()))
        .at("/spec/versions/0/schema/openAPIV3Schema");
  }

  @Test
  void everyBlockHasALanguage() {
    List<String> without = new ArrayList<>();
    for (Page page : Page.all()) {
      for (CodeBlock block : page.blocks()) {
        if (!LANGUAGES.contains(block.language())) {
          without.add(page.at(block.line()) + ": \"" + block.language() + "\"");
        }
      }
    }
    assertThat(without).isEmpty();
  }

  @Test
  void everyBlockThatIsSkippedSaysWhyAndEveryMarkIsKnown() {
    List<String> unknown = new ArrayList<>();
    for (Page page : Page.all()) {
      for (String mark : page.marks()) {
        if ((mark.startsWith("test:") || mark.startsWith("file:"))
            && !mark.matches(
                "test: skip, .+|test: needs [A-Za-z]+|test: invalid|test: pods \\S+ exit \\d+ after \\d+ s"
                    + "|file: [a-z0-9-]+\\.yaml")) {
          unknown.add(page.file() + ": " + mark);
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void everyYamlAndJsonBlockCanBeParsed() {
    List<String> broken = new ArrayList<>();
    for (Page page : Page.all()) {
      for (CodeBlock block : page.blocks()) {
        if (block.language().equals("yaml") || block.language().equals("json")) {
          try {
            int unused = documents(block).size();
          } catch (YAMLException problem) {
            broken.add(page.at(block.line()) + ": " + problem.getMessage());
          }
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyJobIsOneThatAdmissionTakesUnlessItIsMarkedAsInvalid() {
    List<String> wrong = new ArrayList<>();
    int jobs = 0;
    for (Page page : Page.all()) {
      for (CodeBlock block : page.blocks()) {
        if (!block.language().equals("yaml")) {
          continue;
        }
        List<String> mistakes = new ArrayList<>();
        for (JsonNode job : jobs(block)) {
          jobs++;
          mistakes.addAll(mistakes(job));
        }
        if (block.isInvalid() == mistakes.isEmpty()) {
          wrong.add(page.at(block.line()) + ": " + mistakes);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(jobs).isGreaterThan(10);
  }

  private static List<JsonNode> documents(CodeBlock block) {
    List<JsonNode> documents = new ArrayList<>();
    for (Object document : new Yaml().loadAll(block.text())) {
      documents.add(JSON.valueToTree(document));
    }
    return documents;
  }

  private static List<JsonNode> jobs(CodeBlock block) {
    return documents(block).stream()
        .filter(document -> document.path("kind").asText().equals("PyTorchTrainingJob"))
        .toList();
  }

  private static List<String> mistakes(JsonNode node) {
    Set<String> mistakes = new TreeSet<>();
    addUnknown("spec", node.path("spec"), SCHEMA.at("/properties/spec"), mistakes);
    PyTorchTrainingJob job = Serialization.unmarshal(node.toString(), PyTorchTrainingJob.class);
    Rules.check(
            new RuleContext<>(
                job.getMetadata().getName(),
                new Defaulter(AcceleratorResources.DEFAULT).complete(job.getSpec()),
                null))
        .stream()
        .map(Violation::describe)
        .forEach(mistakes::add);
    return List.copyOf(mistakes);
  }

  /** Fields that the CRD does not have; kubectl refuses them. */
  private static void addUnknown(
      String path, JsonNode value, JsonNode schema, Set<String> unknown) {
    if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      return;
    }
    if (value.isArray()) {
      value.forEach(item -> addUnknown(path + "[]", item, schema.path("items"), unknown));
    } else if (value.isObject() && schema.has("properties")) {
      value
          .properties()
          .forEach(
              field -> {
                JsonNode known = schema.path("properties").path(field.getKey());
                if (known.isMissingNode()) {
                  unknown.add(path + "." + field.getKey() + ": there is no such field");
                } else {
                  addUnknown(path + "." + field.getKey(), field.getValue(), known, unknown);
                }
              });
    }
  }
}
