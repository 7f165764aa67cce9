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
 * when a status is written. There {@code self} is a path of the object, entries of lists are
 * looked through by the rule itself, and what the API server does for rules of a CRD has to be
 * said: a rule is asked only where its field is given, lets pass what is as it was, and, when it
 * compares, is asked of a change alone.
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
      return validation
          .withExpression(holds(schema, self, path("oldObject", below)))
          .withMessage(field("") + ": " + schema.getMessage())
          .withMessageExpression(text(field("") + ": ") + " + " + on(words, self))
          .build();
    }
    String all = "object." + list;
    String holds = ofEntry(schema);
    return validation
        .withExpression("!(" + given(all) + ") || " + all + ".all(it, " + holds + ")")
        .withMessage(field(LIST) + ": " + schema.getMessage())
        .withMessageExpression(
            all
                + ".filter(it, !("
                + holds
                + ")).map(it, "
                + text(list + "[")
                + " + string("
                + all
                + ".indexOf(it)) + "
                + text("]" + suffix() + ": ")
                + " + "
                + message(words)
                + ")[0]")
        .build();
  }

  /** The words about an entry, or, of a list within it, about the first that is wrong. */
  private String message(String words) {
    return below.contains(LIST) ? text(rule.violation().message()) : on(words, "it" + below);
  }

  private String field(String entry) {
    return entry.isEmpty() ? (rule.at() + suffixOfField()).replaceFirst("^\\.", "") : list + entry + suffix();
  }

  private String suffix() {
    return below + suffixOfField();
  }

  private String suffixOfField() {
    String field = rule.fieldBelow();
    return field;
  }

  private static String path(String object, String below) {
    return below.isEmpty() ? object : object + "." + below;
  }

  private static String isGiven(String path) {
    return path.contains(".") ? given(path) : "true";
  }

  /** Of a field that is in no list. */
  private static String holds(ValidationRule schema, String self, String old) {
    String hadIt = CHANGED + " && " + isGiven(old);
    return "!(%s) || %s"
        .formatted(isGiven(self), of(schema, self, old, hadIt, hadIt + " && " + old + " == " + self));
  }

  /**
   * The rule where its field is given.
   *
   * @param hadIt whether the stored object has the field
   * @param same whether it has the same
   */
  private static String of(
      ValidationRule schema, String self, String old, String hadIt, String same) {
    String rule = schema.getRule();
    if (rule.startsWith(ONLY_AT_CREATION)) {
      return "%s || (%s)".formatted(hadIt, on(rule.substring(ONLY_AT_CREATION.length()), self));
    }
    if (OLD_SELF.matcher(rule).find()) {
      return "!(%s) || %s == %s || (%s)".formatted(hadIt, old, self, on(rule, self, old));
    }
    return "%s || (%s)".formatted(same, on(rule, self));
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
      return "%s && it in %s || !(%s) || %s.all(each, !(%s) || (%s))"
          .formatted(
              hadList, stored, isGiven(within), within, isGiven(rest), on(schema.getRule(), rest));
    }
    String self = "it" + below;
    String was = "was" + below;
    String rule = schema.getRule();
    String body;
    if (rule.startsWith(ONLY_AT_CREATION)) {
      body =
          "%s && %s.exists(was, was.type == it.type && %s) || (%s)"
              .formatted(
                  hadList, stored, isGiven(was), on(rule.substring(ONLY_AT_CREATION.length()), self));
    } else if (OLD_SELF.matcher(rule).find()) {
      body =
          "!(%s) || %s.filter(was, was.type == it.type).all(was, !(%s) || %s == %s || (%s))"
              .formatted(hadList, stored, isGiven(was), was, self, on(rule, self, was));
    } else {
      body =
          "%s && %s.exists(was, %s && %s == %s) || (%s)"
              .formatted(hadList, stored, isGiven(was), was, self, on(rule, self));
    }
    return "!(%s) || %s".formatted(isGiven(self), body);
  }

  private static String on(String expression, String self) {
    return SELF.matcher(expression).replaceAll(Matcher.quoteReplacement(self));
  }

  private static String on(String expression, String self, String old) {
    return on(OLD_SELF.matcher(expression).replaceAll(Matcher.quoteReplacement(old)), self);
  }
}
