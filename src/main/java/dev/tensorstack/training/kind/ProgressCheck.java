package dev.tensorstack.training.kind;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.LogPattern;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the limits of a training's progress have to be, wherever a kind of jobs writes them. */
public final class ProgressCheck {

  /** The groups of a pattern of which a report is made. */
  private static final List<String> GROUPS = List.of("step", "loss", "percent");

  /** In characters. */
  public static final int LONGEST_PATTERN = 1_000;

  private ProgressCheck() {}

  /**
   * The limits, as a user has written them.
   *
   * @param startSeconds seconds, or null
   * @param stallSeconds seconds, or null
   * @param failOnNaN a number of reports, or null
   * @param logPattern a regular expression of RE2, or null
   * @param onFailure Report, Restart or another word, or null
   */
  public record Limits(
      @Nullable Long startSeconds,
      @Nullable Long stallSeconds,
      @Nullable Integer failOnNaN,
      @Nullable String logPattern,
      @Nullable String onFailure) {}

  /**
   * Checks the limits.
   *
   * @param rule the id of the rule
   * @param path the path of the block, without a dot at its end
   * @param limits the limits
   * @return what cannot work; empty when all is well
   */
  public static List<Violation> check(String rule, String path, Limits limits) {
    FieldCheck check = new FieldCheck(rule);
    check.positiveSeconds(path + ".startSeconds", limits.startSeconds(), "no limit");
    check.positiveSeconds(path + ".stallSeconds", limits.stallSeconds(), "no limit");
    if (limits.failOnNaN() != null && limits.failOnNaN() < 1) {
      check.add(
          path + ".failOnNaN", FieldValueInvalid, "must be at least 1; leave it out for no limit");
    }
    if (limits.logPattern() != null) {
      pattern(check, path + ".logPattern", limits, limits.logPattern());
    }
    if ("Restart".equals(limits.onFailure())
        && limits.startSeconds() == null
        && limits.stallSeconds() == null
        && limits.failOnNaN() == null) {
      check.add(
          path + ".stallSeconds",
          FieldValueRequired,
          "onFailure Restart needs a limit: write startSeconds, stallSeconds or failOnNaN");
    }
    return check.violations();
  }

  private static void pattern(FieldCheck check, String field, Limits limits, String text) {
    if (text.length() > LONGEST_PATTERN) {
      check.add(field, FieldValueInvalid, "is longer than " + LONGEST_PATTERN + " characters");
      return;
    }
    if (!LogPattern.isBounded(text)) {
      check.add(
          field,
          FieldValueInvalid,
          "repeats too much: with all of its counts, such as {3,5}, multiplied it would be longer"
              + " than 2,000 characters; write + or * instead of counts");
      return;
    }
    Set<String> groups;
    try {
      groups = Pattern.compile(text).namedGroups().keySet();
    } catch (PatternSyntaxException wrong) {
      check.add(
          field,
          FieldValueInvalid,
          "is no regular expression of RE2: "
              + wrong.getMessage()
              + "; named groups are (?P<step>…)");
      return;
    }
    if (GROUPS.stream().noneMatch(groups::contains)) {
      check.add(
          field,
          FieldValueInvalid,
          "has none of the named groups " + GROUPS + ": write for example step=(?P<step>\\d+)");
    }
    if (limits.failOnNaN() != null && !groups.contains("loss")) {
      check.add(field, FieldValueInvalid, "has no group loss, which failOnNaN needs: (?P<loss>…)");
    }
    if (limits.stallSeconds() != null && !groups.contains("step") && !groups.contains("percent")) {
      check.add(
          field,
          FieldValueInvalid,
          "has no group step or percent, which stallSeconds needs: (?P<step>…)");
    }
  }
}
