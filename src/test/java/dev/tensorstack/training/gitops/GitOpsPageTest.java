package dev.tensorstack.training.gitops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.docs.CodeBlock;
import dev.tensorstack.training.docs.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The page about GitOps shows what the tests run: the files beside it. */
class GitOpsPageTest {

  private static final Path PAGE = Path.of("docs/operations/gitops.md");
  private static final Path FOLDER = Path.of("docs/operations/gitops");

  private static List<CodeBlock> blocks() {
    return Page.read(PAGE).blocks();
  }

  @ParameterizedTest
  @CsvSource({
    "batch.tensorstack.dev_PyTorchTrainingJob, health-pytorchtrainingjob.lua",
    "kubeflow.org_PyTorchJob,                  health-pytorchjob.lua"
  })
  void theConfigMapOfArgoCdHasTheScripts(String kind, String file) throws IOException {
    String script = Files.readString(FOLDER.resolve(file));
    List<String> shown =
        blocks().stream()
            .filter(block -> block.text().contains("name: argocd-cm"))
            .map(block -> new Yaml().<Map<String, Map<String, String>>>load(block.text()))
            .map(
                map ->
                    Objects.requireNonNull(map.get("data"))
                        .get("resource.customizations.health." + kind))
            .toList();
    assertThat(shown).containsExactly(script);
  }

  @ParameterizedTest
  @ValueSource(strings = {"flux-running.yaml", "flux-succeeded.yaml"})
  void theKustomizationsAreShownAsTheyAre(String file) throws IOException {
    assertThat(blocks())
        .extracting(CodeBlock::text)
        .contains(Files.readString(FOLDER.resolve(file)));
  }

  @Test
  void everyFileIsLinked() throws IOException {
    List<String> links = Page.read(PAGE).links().stream().map(Page.Link::target).toList();
    try (var files = Files.list(FOLDER)) {
      assertThat(files)
          .allSatisfy(file -> assertThat(links).contains("gitops/" + file.getFileName()));
    }
  }
}
