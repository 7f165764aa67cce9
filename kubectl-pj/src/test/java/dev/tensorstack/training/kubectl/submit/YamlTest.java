package dev.tensorstack.training.kubectl.submit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class YamlTest {

  private static final ObjectMapper READER = new ObjectMapper(new YAMLFactory());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "true",
        "No",
        "1e3",
        "0x10",
        "12:30:45",
        "a: b",
        "a #b",
        "- a",
        "*a",
        "ends:",
        "'",
        "\"quoted\"",
        "back\\slash",
        "tab\there",
        "two\nlines",
        "two\nlines\n",
        "many\n\n\n",
        "\nfirst is empty",
        "  indented\nfirst",
        "a\n  indented\n\tand a tab\n",
        "windows\r\nlines\r\n",
        "é and 漢字 \u0001",
        "2026-11-21",
        "~",
        "=",
        " spaces "
      })
  void whatIsWrittenIsReadTheSame(String text) throws JsonProcessingException {
    Map<String, Object> value =
        Map.of("a", text, "list", List.of(text, Map.of("b", text)), "empty", List.of());
    String yaml = Yaml.documents(List.of(Tree.of(value)));
    assertThat(READER.readValue(yaml, Map.class)).as(yaml).isEqualTo(value);
  }
}
