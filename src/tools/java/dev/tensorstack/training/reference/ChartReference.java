package dev.tensorstack.training.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The page about the chart's values, made from the comments in its {@code values.yaml}. */
public final class ChartReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/chart.md");

  private static final Path CHART = Path.of("helm/pytorchtrainingjob-operator");
  private static final Path VALUES = CHART.resolve("values.yaml");
  private static final Pattern COMMENT = Pattern.compile("^( *)# ?(.*)$");
  private static final Pattern KEY = Pattern.compile("^( *)([A-Za-z0-9_]+):(?: .*)?$");

  private ChartReference() {}

  /**
   * The chart's copy of a CRD; a chart cannot read files beside it.
   *
   * @param manifest where the project keeps the CRD
   * @return a file of the chart, relative to the checkout
   */
  public static Path copyOf(Path manifest) {
    return CHART.resolve("files").resolve(manifest.getFileName());
  }

  /**
   * A key of {@code values.yaml}.
   *
   * @param path the keys from the top, with dots between
   * @param meaning the comment above it, empty when there is none
   * @param value its default
   */
  public record Value(String path, String meaning, JsonNode value) {

    /** Whether it only holds other keys. */
    public boolean isSection() {
      return value.isObject() && !value.isEmpty();
    }
  }

  /**
   * Reads the chart's values.
   *
   * @return each key, in the order of the file
   */
  public static List<Value> values() {
    try {
      String text = Files.readString(VALUES);
      JsonNode parsed = new ObjectMapper(new YAMLFactory()).readTree(text);
      List<Value> values = new ArrayList<>();
      Deque<String> path = new ArrayDeque<>();
      List<String> comment = new ArrayList<>();
      for (String line : text.lines().toList()) {
        Matcher commented = COMMENT.matcher(line);
        Matcher key = KEY.matcher(line);
        if (commented.matches()) {
          comment.add(commented.group(2));
          continue;
        }
        if (key.matches()) {
          int depth = key.group(1).length() / 2;
          while (path.size() > depth) {
            path.removeLast();
          }
          path.addLast(key.group(2));
          values.add(
              new Value(
                  String.join(".", path),
                  String.join(" ", comment),
                  parsed.at("/" + String.join("/", path))));
        }
        comment.clear();
      }
      return values;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    StringBuilder page =
        new StringBuilder(
            """
            # Values of the chart

            <!-- Generated from the chart's values.yaml by GeneratedFilesTest; do not edit. -->

            Set them with `--set KEY=VALUE` or `--values FILE`. Unknown keys, and values of the wrong type, are refused. How to install,
            upgrade and uninstall: [install](../operations/install.md).

            | Value | Default | Meaning |
            |---|---|---|
            """);
    for (Value value : values()) {
      page.append("| `")
          .append(value.path())
          .append("` | ")
          .append(value.isSection() ? "" : "`" + written(value.value()) + "`")
          .append(" | ")
          .append(value.isSection() ? "**" + value.meaning() + "**" : value.meaning())
          .append(" |\n");
    }
    return page.toString();
  }

  private static String written(JsonNode value) {
    if (value.isTextual()) {
      return value.asText().isEmpty() ? "\"\"" : value.asText();
    }
    if (value.isArray()) {
      List<String> items = new ArrayList<>();
      value.forEach(item -> items.add(item.asText()));
      return items.stream().collect(Collectors.joining(", ", "[", "]"));
    }
    return Objects.toString(value);
  }
}
