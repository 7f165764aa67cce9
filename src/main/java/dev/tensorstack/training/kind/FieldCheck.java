package dev.tensorstack.training.kind;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueNotSupported;

import dev.tensorstack.training.core.model.Violation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what one rule finds wrong with single values; each is said in the same words. */
public final class FieldCheck {

  private final String rule;
  private final List<Violation> violations = new ArrayList<>();

  /**
   * Begins a check.
   *
   * @param rule the id of the rule
   */
  public FieldCheck(String rule) {
    this.rule = rule;
  }

  /**
   * A number that must not be negative.
   *
   * @param field the path of the field
   * @param value its value, or null when there is none
   */
  public void notNegative(String field, @Nullable Integer value) {
    if (value != null && value < 0) {
      add(field, FieldValueInvalid, "must not be negative: write 0 or more");
    }
  }

  /**
   * A number of seconds that must be positive.
   *
   * @param field the path of the field
   * @param value its value, or null when there is none
   * @param none what there is when the field is left out, such as {@code no deadline}
   */
  public void positiveSeconds(String field, @Nullable Long value, String none) {
    if (value != null && value <= 0) {
      add(field, FieldValueInvalid, "must be at least 1 second; leave it out for " + none);
    }
  }

  /**
   * A word of a closed set.
   *
   * @param field the path of the field
   * @param word its value, or null when there is none
   * @param known the constants that are named like the words
   */
  public void word(String field, @Nullable String word, Enum<?>[] known) {
    if (word != null && !EnumNames.in(known, word)) {
      add(
          field,
          FieldValueNotSupported,
          "\"" + word + "\" is unknown: use one of " + Arrays.toString(known));
    }
  }

  /**
   * Anything else.
   *
   * @param field the path of the field
   * @param reason the kind of mistake
   * @param message what is wrong and what to write instead
   */
  public void add(String field, Violation.Reason reason, String message) {
    violations.add(new Violation(rule, field, reason, message));
  }

  /**
   * What was found.
   *
   * @return all violations, in the order in which they were found
   */
  public List<Violation> violations() {
    return List.copyOf(violations);
  }
}
