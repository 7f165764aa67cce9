package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WarningsTest {

  private static List<String> warnings(String... values) {
    return Warnings.of(Map.of("WARNING", List.of(values), "Date", List.of("299 - \"no\"")));
  }

  @Test
  void eachHeaderAndEachPartOfOneIsAWarning() {
    assertThat(warnings("299 - \"old spelling\"", "299 - \"a, b\", 299 - \"c\""))
        .containsExactly("old spelling", "a, b", "c");
  }

  @Test
  void escapesAndBytesAreRead() {
    assertThat(warnings("299 - \"spec.\\\"x\\\" \\\\ y\"")).containsExactly("spec.\"x\" \\ y");
    assertThat(warnings("299 - \"" + new String("größer".getBytes(UTF_8), ISO_8859_1) + "\""))
        .containsExactly("größer");
    assertThat(warnings("299 - \"a\u001b[2Jb\"")).containsExactly("a [2Jb");
  }

  @Test
  void whatIsNoWarningOfKubernetesIsLeftOut() {
    assertThat(warnings("110 - \"stale\"", "nonsense")).isEmpty();
    assertThat(Warnings.of(Map.of())).isEmpty();
  }
}
