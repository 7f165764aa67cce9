package dev.tensorstack.training.core.model;

/**
 * Something in a job that cannot work.
 *
 * @param rule the id of the rule that found it
 * @param field the path of the field, for example {@code spec.replicaSpecs[1].type}
 * @param reason the kind of mistake
 * @param message what is wrong and what to write instead
 */
public record Violation(String rule, String field, Reason reason, String message) {

  /** Kinds of mistakes, with the names that {@code details.causes[].reason} uses. */
  public enum Reason {
    /** A required field is missing. */
    FieldValueRequired,
    /** A value is malformed or out of range. */
    FieldValueInvalid,
    /** A value is none of the known words. */
    FieldValueNotSupported,
    /** A value occurs twice. */
    FieldValueDuplicate,
    /** A field must not be set, or not be changed. */
    FieldValueForbidden
  }

  /**
   * The violation as one line.
   *
   * @return {@code field: message}
   */
  public String describe() {
    return field + ": " + message;
  }
}
