package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.text;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One rule of the CRD. Its words are those of the rule of admission that says the same: that one is
 * asked about the example, and what comes from the example in its answer is replaced by
 * expressions.
 */
public final class CelRule {

  private static final String NAME = "mnist";

  /**
   * Creation and change are two rules: the API server cannot estimate what it costs to look into an
   * old object that may be missing, and refuses such a rule.
   */
  private static final String ONLY_AT_CREATION = "oldSelf.hasValue() || ";

  private final String id;
  private final String at;
  private String field = "";
  private final List<String> rules = new ArrayList<>();
  private String name = NAME;
  private @Nullable String before;
  private String example = "";
  private final Map<String, String> values = new LinkedHashMap<>();

  private CelRule(String id, String at) {
    this.id = id;
    this.at = at;
  }

  /**
   * Begins a rule.
   *
   * @param id the rule of admission
   * @param at where in the schema it stands, for example {@code spec.replicaSpecs[].type}; empty
   *     for the whole object
   */
  static CelRule of(String id, String at) {
    return new CelRule(id, at);
  }

  /** The field below, which the message is about; it cannot be an entry of a list. */
  CelRule field(String path) {
    field = "." + path;
    return this;
  }

  /**
   * What is refused. It does not hold up changes elsewhere: the API server lets pass what it finds
   * wrong in a value that is as it was.
   */
  CelRule refuses(String wrong) {
    rules.add("!(" + wrong + ")");
    return this;
  }

  /**
   * What is refused unless the stored object has the same mistake: for blocks with several fields,
   * so that the others can be changed.
   */
  CelRule refusesNew(String wrong) {
    return refusesNew(wrong, "");
  }

  /**
   * The same.
   *
   * @param same whether the fields that matter are as they were; with {@code oldSelf}
   */
  CelRule refusesNew(String wrong, String same) {
    rules.add(ONLY_AT_CREATION + "!(" + wrong + ")");
    rules.add(
        "!("
            + wrong
            + ") || ("
            + Cel.ofOld(wrong)
            + ")"
            + (same.isEmpty() ? "" : " && (" + same + ")"));
    return this;
  }

  /** What is refused of a change; with {@code oldSelf}. */
  CelRule refusesChange(String wrong) {
    return refuses(wrong);
  }

  /** A job, that is its spec, that this rule refuses. */
  CelRule example(String spec) {
    example = spec;
    return this;
  }

  /** A change that this rule refuses. */
  CelRule example(String specBefore, String specAfter) {
    before = specBefore;
    example = specAfter;
    return this;
  }

  /** The name of the job in the example. */
  CelRule exampleName(String name) {
    this.name = name;
    return this;
  }

  /** What a part of the message about the example stands for; in the order of the message. */
  CelRule value(String inMessage, String expression) {
    values.put(inMessage, expression);
    return this;
  }

  /**
   * The rule of admission.
   *
   * @return its id
   */
  public String id() {
    return id;
  }

  /**
   * The place in the schema.
   *
   * @return a path, for example {@code spec.replicaSpecs[].type}; empty for the whole object
   */
  public String at() {
    return at;
  }

  /**
   * The field below the place that the message is about.
   *
   * @return a path that begins with a dot; empty for the place itself
   */
  String fieldBelow() {
    return field;
  }

  /**
   * The name of the job in the example.
   *
   * @return a name of an object
   */
  public String exampleName() {
    return name;
  }

  /**
   * The spec that the example begins with.
   *
   * @return YAML; null when the rule refuses a creation
   */
  public @Nullable String before() {
    return before;
  }

  /**
   * The spec of the example that is refused.
   *
   * @return YAML
   */
  public String example() {
    return example;
  }

  /**
   * What the rule of admission says of the example.
   *
   * @return its violation
   * @throws IllegalStateException when it does not refuse the example, or refuses another field
   */
  public Violation violation() {
    RuleContext<PyTorchTrainingJobSpec> subject =
        new RuleContext<>(name, complete(example), before == null ? null : complete(before));
    List<Violation> found = Rules.check(subject);
    return found.stream()
        .filter(violation -> violation.rule().equals(id) && isAbout(violation.field()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(this + " has an example with only " + found));
  }

  private static PyTorchTrainingJobSpec complete(String spec) {
    return new Defaulter(AcceleratorResources.DEFAULT)
        .complete(Serialization.unmarshal("---\n" + spec, PyTorchTrainingJobSpec.class));
  }

  /** The field itself; or within the list, because no rule can name an entry by its number. */
  private boolean isAbout(String violated) {
    String own = (at + field).replaceFirst("^\\.", "");
    String general = violated.replaceAll("\\[\\d+]", "[]");
    return general.equals(own) || general.startsWith(own + "[]");
  }

  /**
   * The rule as the CRD holds it.
   *
   * @return entries of {@code x-kubernetes-validations}
   */
  public List<ValidationRule> toSchema() {
    Violation violation = violation();
    StringBuilder form = new StringBuilder();
    StringBuilder withoutValues = new StringBuilder();
    String rest = violation.message();
    for (String value : values.keySet()) {
      int begin = rest.indexOf(value);
      if (begin < 0) {
        throw new IllegalStateException(this + ": no " + value + " in: " + rest);
      }
      form.append(rest.substring(0, begin).replace("%", "%%")).append("%s");
      withoutValues.append(rest, 0, begin).append("…");
      rest = rest.substring(begin + value.length());
    }
    form.append(rest.replace("%", "%%"));
    withoutValues.append(rest);
    return rules.stream()
        .map(
            rule -> {
              ValidationRuleBuilder schema =
                  new ValidationRuleBuilder()
                      .withRule(rule)
                      .withMessage(withoutValues.toString())
                      .withReason(reason(violation.reason()));
              if (!values.isEmpty()) {
                schema.withMessageExpression(
                    "%s.format([%s])"
                        .formatted(text(form.toString()), String.join(", ", values.values())));
              }
              if (!field.isEmpty()) {
                schema.withFieldPath(field);
              }
              if (rule.startsWith(ONLY_AT_CREATION)) {
                schema.withOptionalOldSelf(true);
              }
              return schema.build();
            })
        .toList();
  }

  /**
   * The reason that the CRD gives: it knows fewer, and has no words of its own for a duplicate.
   *
   * @param reason the reason of the rule of admission
   * @return a value of {@code reason} in {@code x-kubernetes-validations}
   */
  public static String reason(Violation.Reason reason) {
    return switch (reason) {
      case FieldValueRequired, FieldValueForbidden -> reason.name();
      case FieldValueInvalid, FieldValueNotSupported, FieldValueDuplicate -> "FieldValueInvalid";
    };
  }

  @Override
  public String toString() {
    return id + " at " + at + field;
  }
}
