package dev.tensorstack.training.admission;

import dev.tensorstack.training.policy.AcceleratorResources;
import java.util.ArrayList;
import java.util.List;

/**
 * All warnings, in the order in which they are given. Warnings never refuse a job.
 *
 * <p>The API server cuts warnings off at 256 characters each when an answer has more than 4096 in
 * all, and drops those with control characters; so they are kept few, short and plain.
 */
public final class Warnings {

  private static final int MOST_WARNINGS = 30;
  private static final int MOST_CHARACTERS = 4000;
  private static final int LONGEST = 250;
  private static final int ROOM_FOR_THE_LAST = 100;

  private final List<Warning> all;

  /**
   * The warnings.
   *
   * @param accelerators what counts as an accelerator
   */
  public Warnings(AcceleratorResources accelerators) {
    all =
        List.of(
            new OldSpellingWarning(),
            new MinNodesWarning(),
            new TemplateRestartPolicyWarning(),
            new ReplacedCommandWarning(),
            new HiddenVariableWarning(),
            new IdleAcceleratorsWarning(accelerators),
            new SeveralMastersWarning(),
            new NoRequestsWarning(),
            new NoTorchrunRestartsWarning(),
            new QueuedElasticWarning(),
            new SeveralSchedulersWarning());
  }

  /**
   * Every warning there is, for the reference page.
   *
   * @return the warnings in the order in which they are given
   */
  public List<Warning> all() {
    return all;
  }

  /**
   * What to tell the user of a job.
   *
   * @param given the job
   * @return one-line texts, each with a field and what to do; at most 30 of at most 250 characters,
   *     4000 in all, the last saying how many were left out; empty when there is nothing to say
   */
  public List<String> of(GivenJob given) {
    List<String> texts = new ArrayList<>();
    for (Warning warning : all) {
      for (String text : warning.check(given)) {
        texts.add(shortened(oneLine(text)));
      }
    }
    return fitting(texts);
  }

  /**
   * Warnings as an answer of the API server can hold them.
   *
   * @param warnings any texts
   * @return the same; without control characters, cut off where they are too long, and the last
   *     saying how many were left out where they are too many
   */
  public static List<String> fitting(List<String> warnings) {
    List<String> texts = warnings.stream().map(Warnings::oneLine).map(Warnings::shortened).toList();
    if (texts.size() <= MOST_WARNINGS && length(texts) <= MOST_CHARACTERS) {
      return texts;
    }
    int kept = 0;
    int characters = 0;
    while (kept < MOST_WARNINGS - 1
        && kept < texts.size()
        && characters + length(texts.get(kept)) <= MOST_CHARACTERS - ROOM_FOR_THE_LAST) {
      characters += length(texts.get(kept));
      kept++;
    }
    List<String> few = new ArrayList<>(texts.subList(0, kept));
    few.add(
        "warnings left out: %d; mend these and apply the job again to see them"
            .formatted(texts.size() - kept));
    return few;
  }

  private static int length(List<String> texts) {
    return texts.stream().mapToInt(Warnings::length).sum();
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints()
        .map(character -> printable(character) ? character : ' ')
        .forEach(line::appendCodePoint);
    return line.toString();
  }

  /** Neither a control character nor one half of a pair of two. */
  private static boolean printable(int character) {
    return !Character.isISOControl(character)
        && Character.getType(character) != Character.SURROGATE;
  }

  private static String shortened(String text) {
    return length(text) <= LONGEST
        ? text
        : text.substring(0, text.offsetByCodePoints(0, LONGEST - 1)) + "…";
  }
}
