package dev.tensorstack.training.kubectl.submit;

import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes objects as YAML that people like to read: block style, a script as a literal block. What
 * might be read as something else than a string is quoted.
 */
public final class Yaml {

  /** What YAML cannot take for anything but a string. */
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z/][-A-Za-z0-9_./=]*(:[-A-Za-z0-9_./=]+)*");

  private static final Pattern WORD = Pattern.compile("(?i)true|false|yes|no|on|off|null|y|n|~");

  private Yaml() {}

  /**
   * Writes documents.
   *
   * @param objects maps, lists, strings, numbers and booleans
   * @return the documents, with a line {@code ---} between them
   */
  public static String documents(List<Tree> objects) {
    StringBuilder yaml = new StringBuilder();
    for (Tree object : objects) {
      yaml.append(yaml.isEmpty() ? "" : "---\n");
      map(yaml, object.fields(), 0, false);
    }
    return yaml.toString();
  }

  private static void map(
      StringBuilder yaml, Map<String, Tree> fields, int indent, boolean afterDash) {
    boolean first = afterDash;
    for (Map.Entry<String, Tree> field : fields.entrySet()) {
      yaml.append(first ? "" : " ".repeat(indent)).append(scalar(field.getKey())).append(':');
      first = false;
      value(yaml, field.getValue().value(), indent);
    }
  }

  private static void value(StringBuilder yaml, @Nullable Object value, int indent) {
    Tree tree = Tree.of(value);
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      yaml.append('\n');
      map(yaml, tree.fields(), indent + 2, false);
    } else if (value instanceof List<?> list && !list.isEmpty()) {
      yaml.append('\n');
      for (Tree item : tree.items()) {
        item(yaml, item, indent);
      }
    } else if (value instanceof String text && isBlock(text)) {
      block(yaml, text, indent + 2);
    } else if (value instanceof String text) {
      yaml.append(' ').append(scalar(text)).append('\n');
    } else {
      String plain =
          value instanceof Map ? "{}" : value instanceof List ? "[]" : String.valueOf(value);
      yaml.append(' ').append(plain).append('\n');
    }
  }

  private static void item(StringBuilder yaml, Tree item, int indent) {
    yaml.append(" ".repeat(indent)).append('-');
    if (item.value() instanceof Map<?, ?> map && !map.isEmpty()) {
      yaml.append(' ');
      map(yaml, item.fields(), indent + 2, true);
    } else {
      value(yaml, item.value(), indent);
    }
  }

  /** A literal block keeps everything but carriage returns and other control characters. */
  private static boolean isBlock(String text) {
    return text.contains("\n")
        && text.chars().allMatch(one -> one == '\n' || one == '\t' || (one >= 32 && one != 127))
        && !text.startsWith(" ")
        && !text.startsWith("\n")
        && !text.startsWith("\t");
  }

  private static void block(StringBuilder yaml, String text, int indent) {
    String keep = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
    yaml.append(" |").append(keep).append('\n');
    String body = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    for (String line : body.split("\n", -1)) {
      yaml.append(line.isEmpty() ? "" : " ".repeat(indent) + line).append('\n');
    }
  }

  private static String scalar(String text) {
    if (PLAIN.matcher(text).matches() && !WORD.matcher(text).matches()) {
      return text;
    }
    StringBuilder quoted = new StringBuilder("\"");
    text.chars()
        .forEach(
            one -> {
              switch (one) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> {
                  if (one < 32 || one == 127) {
                    quoted.append(String.format("\\x%02x", one));
                  } else {
                    quoted.append((char) one);
                  }
                }
              }
            });
    return quoted.append('"').toString();
  }
}
