package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.text;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.Variable;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.VariableBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule of the CRD in the form of a ValidatingAdmissionPolicy, which the API server does not ask
 * when a status is written. There {@code self} is a path of the object, entries of lists are looked
 * through by the rule itself, and what the API server does for rules of a CRD has to be said: a
 * rule is asked only where its field is given, lets pass what is as it was, and, when it compares,
 * is asked of a change alone.
 */
final class PolicyRule {

  private static final Pattern SELF = Pattern.compile("\\bself\\b");
  private static final Pattern OLD_SELF = Pattern.compile("\\boldSelf\\b");
  private static final String ONLY_AT_CREATION = "oldSelf.hasValue() || ";
  private static final String LIST = "[]";
  private static final String CHANGED = "oldObject != null";

  private final CelRule rule;
  private final String list;
  private final String below;

  private PolicyRule(CelRule rule) {
    this.rule = rule;
    int end = rule.at().indexOf(LIST);
    this.list = end < 0 ? "" : rule.at().substring(0, end);
    this.below = end < 0 ? rule.at() : rule.at().substring(end + LIST.length());
  }

  /**
   * What a rule says of a job, as variables of a policy: each is the list of the messages that it
   * has, with the field in front.
   *
   * @param rule a rule of the CRD
   * @param name the name of the variable; of several, a number follows
   * @return entries of {@code variables} of a policy
   */
  static List<Variable> of(CelRule rule, String name) {
    PolicyRule policy = new PolicyRule(rule);
    List<Variable> variables = new ArrayList<>();
    for (ValidationRule schema : rule.toSchema()) {
      String number = variables.isEmpty() ? "" : "_" + variables.size();
      variables.add(
          new VariableBuilder()
              .withName(name + number)
              .withExpression(policy.messages(schema))
              .build());
    }
    return variables;
  }

  private String messages(ValidationRule schema) {
    String words =
        schema.getMessageExpression() == null
            ? text(schema.getMessage())
            : schema.getMessageExpression();
    if (list.isEmpty()) {
      String self = path("object", below);
      String old = path("oldObject", below);
      return "%s ? [] : [%s + %s]"
          .formatted(holds(schema, self, old), text(field("") + ": "), on(words, self, old));
    }
    String all = "object." + list;
    String stored = "oldObject." + list;
    String isSame = "%s && %s && %s == %s".formatted(CHANGED, given(stored), stored, all);
    String wrong = "%s.filter(it, !(%s))".formatted(all, ofEntry(schema));
    return "!(%s) || %s ? [] : %s"
        .formatted(given(all), isSame, aboutEntries(wrong, all, schema.getRule(), words));
  }

  /** Field and words about each of these entries, or about those of a list within it. */
  private String aboutEntries(String wrong, String all, String holds, String words) {
    String entry = text(list + "[") + " + string(" + all + ".indexOf(it))";
    int inner = below.indexOf(LIST);
    if (inner >= 0) {
      String within = below.substring(0, inner);
      String rest = below.substring(inner + LIST.length());
      String each = "each" + rest;
      return "%7$s.map(it, it%1$s.filter(each, !(%2$s)).map(each, %3$s + %4$s + string(it%1$s.indexOf(each)) + %5$s + %6$s).join('; '))"
          .formatted(
              within,
              unlessMissing(each) + "(" + on(holds, each) + ")",
              entry,
              text("]" + within + "["),
              text("]" + rest + suffixOfField() + ": "),
              on(words, each),
              wrong);
    }
    String said =
        OLD_SELF.matcher(words).find()
            ? "oldObject.%s.filter(was, was.type == it.type).map(was, %s)[0]"
                .formatted(list, on(words, "it" + below, "was" + below))
            : on(words, "it" + below);
    return "%s.map(it, %s + %s + %s)".formatted(wrong, entry, text("]" + suffix() + ": "), said);
  }

  private String field(String entry) {
    return entry.isEmpty()
        ? (rule.at() + suffixOfField()).replaceFirst("^\\.", "")
        : list + entry + suffix();
  }

  private String suffix() {
    return below + suffixOfField();
  }

  private String suffixOfField() {
    return rule.fieldBelow();
  }

  private static String path(String object, String below) {
    return below.isEmpty() ? object : object + "." + below;
  }

  /** That a field is given, as the first of several conditions; the object itself always is. */
  private static String where(String path) {
    return path.contains(".") ? given(path) + " && " : "";
  }

  /** What lets pass an object without the field. */
  private static String unlessMissing(String path) {
    return path.contains(".") ? "!(" + given(path) + ") || " : "";
  }

  /** Of a field that is in no list. */
  private static String holds(ValidationRule schema, String self, String old) {
    String rule = schema.getRule();
    String had = wasGiven(old);
    String body;
    if (rule.startsWith(ONLY_AT_CREATION)) {
      body = "%s%s || (%s)".formatted(CHANGED, had, on(creation(rule), self));
    } else if (OLD_SELF.matcher(rule).find()) {
      body = "!(%s%s) || %s == %s || (%s)".formatted(CHANGED, had, old, self, on(rule, self, old));
    } else {
      body = "%s%s && %s == %s || (%s)".formatted(CHANGED, had, old, self, on(rule, self));
    }
    return unlessMissing(self) + body;
  }

  private static String wasGiven(String old) {
    return old.contains(".") ? " && " + given(old) : "";
  }

  private static String creation(String rule) {
    return rule.substring(ONLY_AT_CREATION.length());
  }

  /** Of the entry {@code it} of a list; {@code was} is the stored one of the same type. */
  private String ofEntry(ValidationRule schema) {
    String stored = "oldObject." + list;
    String hadList = CHANGED + " && " + given(stored);
    int inner = below.indexOf(LIST);
    if (inner >= 0) {
      // An entry that is as it was is let pass as a whole.
      String within = "it" + below.substring(0, inner);
      String rest = "each" + below.substring(inner + LIST.length());
      return "%s && it in %s || %s%s.all(each, %s(%s))"
          .formatted(
              hadList,
              stored,
              unlessMissing(within),
              within,
              unlessMissing(rest),
              on(schema.getRule(), rest));
    }
    String self = "it" + below;
    String was = "was" + below;
    String rule = schema.getRule();
    String body;
    if (rule.startsWith(ONLY_AT_CREATION)) {
      body =
          "%s && %s.exists(was, %swas.type == it.type) || (%s)"
              .formatted(hadList, stored, where(was), on(creation(rule), self));
    } else if (OLD_SELF.matcher(rule).find()) {
      body =
          "!(%s) || %s.filter(was, was.type == it.type).all(was, %s%s == %s || (%s))"
              .formatted(hadList, stored, unlessMissing(was), was, self, on(rule, self, was));
    } else {
      // Asked with "in", the cost of a list of long texts is its length.
      String had =
          below.isEmpty()
              ? "it in " + stored
              : "%s.exists(was, %s%s == %s)".formatted(stored, where(was), was, self);
      body = "%s && %s || (%s)".formatted(hadList, had, on(rule, self));
    }
    return unlessMissing(self) + body;
  }

  private static String on(String expression, String self) {
    return SELF.matcher(expression).replaceAll(Matcher.quoteReplacement(self));
  }

  private static String on(String expression, String self, String old) {
    return on(OLD_SELF.matcher(expression).replaceAll(Matcher.quoteReplacement(old)), self);
  }
}
