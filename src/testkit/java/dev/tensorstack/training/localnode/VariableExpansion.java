package dev.tensorstack.training.localnode;

import java.util.Map;

/** Expansion of {@code $(NAME)} as Kubernetes defines it for variables, commands and arguments. */
final class VariableExpansion {
  private VariableExpansion() {}

  /**
   * Expands the references in one text.
   *
   * @param text the text; {@code $$} stands for one {@code $}, so {@code $$(NAME)} is left as
   *     {@code $(NAME)}
   * @param variables the known variables
   * @return the text with every known {@code $(NAME)} replaced by its value; an unknown one, and
   *     one without a closing bracket, stays as it is
   */
  static String expand(String text, Map<String, String> variables) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '$' || at + 1 == text.length()) {
        out.append(c);
        at++;
        continue;
      }
      char next = text.charAt(at + 1);
      int close = next == '(' ? text.indexOf(')', at + 2) : -1;
      if (close >= 0) {
        String name = text.substring(at + 2, close);
        String value = variables.get(name);
        out.append(value != null ? value : "$(" + name + ")");
        at = close + 1;
      } else {
        out.append(next == '$' ? "$" : "$" + next);
        at += 2;
      }
    }
    return out.toString();
  }
}
