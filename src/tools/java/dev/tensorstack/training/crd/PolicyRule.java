package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.text;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
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
   * The validations of a rule.
   *
   * @param rule a rule of the CRD
   * @return entries of {@code validations} of a policy, in its order
   */
  static List<Validation> of(CelRule rule) {
    PolicyRule policy = new PolicyRule(rule);
    return rule.toSchema().stream().map(policy::validation).toList();
  }

  private Validation validation(ValidationRule schema) {
    String words =
        schema.getMessageExpression() == null
            ? text(schema.getMessage())
            : schema.getMessageExpression();
    ValidationBuilder validation = new ValidationBuilder().withReason("Invalid");
    if (list.isEmpty()) {
      String self = path("object", below);
      validation
          .withExpression(holds(schema, self, path("oldObject", below)))
          .withMessage(field("") + ": " + schema.getMessage());
      return schema.getMessageExpression() == null
          ? validation.build()
          : validation
              .withMessageExpression(
                  text(field("") + ": ") + " + " + on(words, self, path("oldObject", below)))
              .build();
    }
    String all = "object." + list;
    String holds = ofEntry(schema);
    return validation
        .withExpression("!(" + given(all) + ") || " + all + ".all(it, " + holds + ")")
        .withMessage(field(LIST) + ": " + schema.getMessage())
        .withMessageExpression(
            "%s.filter(it, !(%s)).map(it, %s).join('; ')"
                .formatted(all, holds, aboutEntry(all, words)))
        .build();
  }

  /** Field and words about an entry, or about those of a list within it. */
  private String aboutEntry(String all, String words) {
    String entry = text(list + "[") + " + string(" + all + ".indexOf(it))";
    int inner = below.indexOf(LIST);
    if (inner >= 0) {
      String within = below.substring(0, inner);
      String rest = below.substring(inner + LIST.length());
      String each = "each" + rest;
      return "it%1$s.filter(each, !(%2$s)).map(each, %3$s + %4$s + string(it%1$s.indexOf(each)) + %5$s + %6$s).join('; ')"
          .formatted(
              within,
              unlessMissing(each) + "(" + on(rule.toSchema().get(0).getRule(), each) + ")",
              entry,
              text("]" + within + "["),
              text("]" + rest + suffixOfField() + ": "),
              on(words, each));
    }
    String said =
        OLD_SELF.matcher(words).find()
            ? "oldObject.%s.filter(was, was.type == it.type).map(was, %s)[0]"
                .formatted(list, on(words, "it" + below, "was" + below))
            : on(words, "it" + below);
    return entry + " + " + text("]" + suffix() + ": ") + " + " + said;
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
      body =
          "%s && %s.exists(was, %s%s == %s) || (%s)"
              .formatted(hadList, stored, where(was), was, self, on(rule, self));
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
