package dev.tensorstack.training.kind;

import com.fasterxml.jackson.core.JsonStreamContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How deep and how wordy the spec and the status of a job may be. Templates may hold anything, and
 * the API server stores what is nested some thousand levels deep; who works with such an object
 * comes to the end of a stack. What pods can have is nested about 15 levels deep.
 */
public final class ReadLimits {

  /** The name of the rule that refuses what is beyond them, as users see it. */
  public static final String RULE = "readable";

  /** The deepest nesting of objects and lists; the spec itself is the first level. */
  public static final int DEPTH = 100;

  /** The longest name of a field or key, in characters. */
  public static final int NAME = 1_000;

  private static final int LONGEST_STEP = 60;
  private static final int MOST_STEPS = 12;

  private ReadLimits() {}

  /**
   * What is said of something that is nested too deep.
   *
   * @return words that go on after the field
   */
  public static String tooDeep() {
    return "is nested deeper than " + DEPTH + " levels: leave out what is below";
  }

  /**
   * What is said of an object or list with a name in it that is too long.
   *
   * @param length the length of the name, in characters
   * @return words that go on after the field
   */
  public static String tooLong(int length) {
    return "has a name of " + length + " characters, more than " + NAME + ": write a shorter one";
  }

  /**
   * Names a place in JSON.
   *
   * @param at the place: an object, for its present field, or a list, for its present entry
   * @param above where the path begins; it does not become part of it
   * @return for example {@code .replicaSpecs[0].template}; what is deep or long is left out
   */
  public static String path(JsonStreamContext at, JsonStreamContext above) {
    List<String> steps = new ArrayList<>();
    for (JsonStreamContext step = at; step != above && !step.inRoot(); step = step.getParent()) {
      if (step.inArray()) {
        steps.add("[" + step.getCurrentIndex() + "]");
      } else if (step.getCurrentName() != null) {
        steps.add("." + shortened(step.getCurrentName()));
      }
    }
    Collections.reverse(steps);
    return steps.size() <= MOST_STEPS
        ? String.join("", steps)
        : String.join("", steps.subList(0, MOST_STEPS)) + "…";
  }

  private static String shortened(String name) {
    return name.length() > LONGEST_STEP ? name.substring(0, LONGEST_STEP) + "…" : name;
  }
}
