package dev.tensorstack.training.kind;

import dev.tensorstack.training.core.model.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A job's name makes names that Kubernetes accepts. Which ones, each kind says.
 *
 * @param <S> the Java type of the kind's spec
 */
public abstract class NameRule<S> implements Rule<S> {

  private static final int LONGEST_LABEL = 63;
  private static final Pattern DNS_1035 = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");

  private final String remedy;

  /**
   * A rule about names.
   *
   * @param remedy what to do about a name that is too long, such as {@code shorten the job's name}
   */
  protected NameRule(String remedy) {
    this.remedy = remedy;
  }

  /**
   * A name that is made of the job's.
   *
   * @param what the thing that has it, such as {@code the Service}
   * @param length how many characters it has
   */
  public record MadeName(String what, int length) {}

  /**
   * The names that are made of a job's.
   *
   * @param name the job's name
   * @param spec the spec with all defaults
   * @return the longest of each sort; each has to be a DNS label
   */
  protected abstract List<MadeName> madeNames(String name, S spec);

  @Override
  public final String id() {
    return "job-name";
  }

  @Override
  public final List<Violation> check(RuleContext<S> subject) {
    String name = subject.name();
    List<Violation> violations = new ArrayList<>();
    if (name == null) {
      return violations;
    }
    if (!DNS_1035.matcher(name).matches()) {
      violations.add(
          violation(
              "\""
                  + name
                  + "\" also names a Service: use lower case letters, digits and '-', beginning with"
                  + " a letter and ending with a letter or digit"));
    }
    for (MadeName made : madeNames(name, subject.spec())) {
      if (made.length() > LONGEST_LABEL) {
        violations.add(violation(tooLong(name, made)));
      }
    }
    return violations;
  }

  private String tooLong(String name, MadeName made) {
    return "\""
        + name
        + "\" is too long: "
        + made.what()
        + " would have "
        + made.length()
        + " characters, "
        + (made.length() - LONGEST_LABEL)
        + " more than the 63 that are allowed; "
        + remedy;
  }

  private Violation violation(String message) {
    return new Violation(id(), "metadata.name", Violation.Reason.FieldValueInvalid, message);
  }
}
