package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** How pages are taken apart: what the other tests do not see, they do not check. */
class PageTest {

  private static Page page(String text) {
    return Page.of(Path.of("docs/x.md"), text);
  }

  @Test
  void anchorsAreThoseOfGitHub() {
    assertThat(
            page("# At `kubectl apply`\n## a, b: c\n## [Link](x.md) – 2\n## a, b: c\n").anchors())
        .containsExactlyInAnyOrder("at-kubectl-apply", "a-b-c", "link--2", "a-b-c-1");
  }

  @Test
  void linksMayCrossLinesAndHoldCodeButAreNotLookedForInCode() {
    Page page = page("a [b\nc](d.md#e) [`f`](g.md)\n`[h](i.md)`\n```text\n[j](k.md)\n```\n");
    assertThat(page.links()).containsExactly(new Page.Link("d.md#e", 1), new Page.Link("g.md", 2));
  }

  @Test
  void aBlockHasTheMarksThatStandBeforeIt() {
    Page page =
        page(
            """
            <!-- test: skip, needs a node -->
            <!-- file: a.yaml -->

            ```sh
            one
            ```

            ```yaml
            two: 2
            ```
            """);
    assertThat(page.blocks()).hasSize(2);
    assertThat(page.blocks().get(0).skipped()).isEqualTo("needs a node");
    assertThat(page.blocks().get(0).file()).isEqualTo("a.yaml");
    assertThat(page.blocks().get(0).text()).isEqualTo("one\n");
    assertThat(page.blocks().get(1).skipped()).isNull();
    assertThat(page.blocks().get(1).line()).isEqualTo(8);
  }

  @Test
  void aBlockInAListLosesItsIndentation() {
    assertThat(page("- a\n\n  ```sh\n  b\n    c\n  ```\n").blocks().get(0).text())
        .isEqualTo("b\n  c\n");
  }

  @Test
  void aBlockThatDoesNotEndIsAMistake() {
    assertThatThrownBy(() -> page("a\n```sh\nb\n")).hasMessageContaining("docs/x.md:2");
  }
}
