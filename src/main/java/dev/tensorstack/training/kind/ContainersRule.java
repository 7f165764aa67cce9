package dev.tensorstack.training.kind;

import dev.tensorstack.training.core.model.Violation;
import java.util.ArrayList;
import java.util.List;

/**
 * The operator can keep in mind what a job's pods are made of, and the status can tell of them. A
 * spec that cannot even be read does not come as far as this: the webhooks refuse it in this rule's
 * name while they read it.
 *
 * @param <S> the Java type of the kind's spec
 */
public abstract class ContainersRule<S> implements Rule<S> {

  private final String typesField;

  /**
   * A rule about the number of containers.
   *
   * @param typesField the field that holds all types of replicas
   */
  protected ContainersRule(String typesField) {
    this.typesField = typesField;
  }

  /**
   * The pods of one type.
   *
   * @param template the path of their template
   * @param containers how many containers each has, init containers included
   * @param pods how many of them there are
   */
  public record PodsOfType(String template, int containers, long pods) {}

  /**
   * The pods of a job.
   *
   * @param spec the spec with all defaults
   * @return those of each type, in their order
   */
  protected abstract List<PodsOfType> pods(S spec);

  /**
   * How many containers a job has.
   *
   * @param spec the spec with all defaults
   * @param types its pods
   * @return those of all pods, when the job is largest
   */
  protected long together(S spec, List<PodsOfType> types) {
    return types.stream().mapToLong(type -> type.containers() * type.pods()).sum();
  }

  @Override
  public final String id() {
    return ReadLimits.RULE;
  }

  @Override
  public final List<Violation> check(RuleContext<S> subject) {
    List<Violation> violations = new ArrayList<>();
    List<PodsOfType> types = pods(subject.spec());
    for (PodsOfType type : types) {
      if (type.containers() > JobSize.MOST_CONTAINERS) {
        violations.add(
            violation(
                type.template() + ".spec.containers",
                type.containers()
                    + " containers, those in initContainers included, are more than "
                    + JobSize.MOST_CONTAINERS
                    + ", and the status could not tell of all of them: write fewer"));
      }
    }
    long together = together(subject.spec(), types);
    if (violations.isEmpty() && together > JobSize.MOST_CONTAINERS_TOGETHER) {
      violations.add(
          violation(
              typesField,
              "the pods have "
                  + together
                  + " containers together, more than "
                  + JobSize.MOST_CONTAINERS_TOGETHER
                  + ", and the operator keeps the state of each in mind: write fewer replicas, or"
                  + " fewer containers"));
    }
    return violations;
  }

  private Violation violation(String field, String message) {
    return new Violation(id(), field, Violation.Reason.FieldValueInvalid, message);
  }
}
