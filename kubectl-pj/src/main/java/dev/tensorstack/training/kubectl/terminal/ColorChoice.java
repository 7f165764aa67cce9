package dev.tensorstack.training.kubectl.terminal;

import java.util.Map;

/** When output is coloured. */
public enum ColorChoice {
  /** Always. */
  always,
  /** Never. */
  never,
  /** Where a person reads it. */
  auto;

  /**
   * Whether to colour.
   *
   * @param isTerminal whether the output is a terminal
   * @param environment the environment: {@code NO_COLOR}, when it is there and not empty, and
   *     {@code TERM=dumb} switch colours off, as https://no-color.org asks for
   * @return the decision
   */
  public boolean decide(boolean isTerminal, Map<String, String> environment) {
    return switch (this) {
      case always -> true;
      case never -> false;
      case auto ->
          isTerminal
              && environment.getOrDefault("NO_COLOR", "").isEmpty()
              && !"dumb".equals(environment.get("TERM"));
    };
  }
}
