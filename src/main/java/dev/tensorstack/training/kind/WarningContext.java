package dev.tensorstack.training.kind;

import java.util.Map;

/**
 * What warnings look at: a job as the user gave it, and what became of it.
 *
 * @param given the spec as the user wrote it, before any default; an empty one when there is none
 * @param labels the job's labels
 * @param annotations the job's annotations
 * @param subject the same job with all defaults, and the stored one when this is a change
 * @param <S> the Java type of the kind's spec
 */
public record WarningContext<S>(
    S given, Map<String, String> labels, Map<String, String> annotations, RuleContext<S> subject) {

  /**
   * A job without labels.
   *
   * @param given the spec as the user wrote it
   * @param subject the same job with all defaults
   */
  public WarningContext(S given, RuleContext<S> subject) {
    this(given, Map.of(), Map.of(), subject);
  }
}
