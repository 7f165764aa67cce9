package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueForbidden;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;

import dev.tensorstack.training.core.gang.T9kGang;
import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.EnumNames;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One scheduler places all pods of a job.
 *
 * <p>Refuses: more than one scheduler, a priority outside 0 to 100, a template whose schedulerName
 * is another one.
 */
final class SchedulerRule implements Rule<PyTorchTrainingJobSpec> {

  private static final int HIGHEST_PRIORITY = 100;

  @Override
  public String id() {
    return "scheduler";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    Scheduler scheduler = subject.spec().scheduler();
    List<Violation> violations = new ArrayList<>();
    if (scheduler == null) {
      return violations;
    }
    List<String> given = new ArrayList<>();
    if (scheduler.t9kScheduler() != null) {
      given.add("t9kScheduler");
    }
    if (scheduler.volcano() != null) {
      given.add("volcano");
    }
    if (scheduler.coscheduling() != null) {
      given.add("coscheduling");
    }
    if (scheduler.kubernetes() != null) {
      given.add("kubernetes");
    }
    priority(scheduler, violations);
    if (given.size() > 1) {
      violations.add(
          new Violation(
              id(),
              "spec.scheduler",
              FieldValueForbidden,
              EnumNames.quoted(given) + " are all given: keep one of them"));
      return violations;
    }
    String name = schedulerName(scheduler);
    if (name != null) {
      conflicts(given.get(0), name, subject.spec().replicaSpecs(), violations);
    }
    return violations;
  }

  private void priority(Scheduler scheduler, List<Violation> violations) {
    Integer priority =
        scheduler.t9kScheduler() == null ? null : scheduler.t9kScheduler().priority();
    if (priority != null && (priority < 0 || priority > HIGHEST_PRIORITY)) {
      violations.add(
          new Violation(
              id(),
              "spec.scheduler.t9kScheduler.priority",
              FieldValueInvalid,
              priority + " is outside 0 to 100: write a number from 0 to 100"));
    }
  }

  /** The name that the pods get whatever the template says; null when the template decides. */
  private static @Nullable String schedulerName(Scheduler scheduler) {
    if (scheduler.t9kScheduler() != null) {
      return T9kGang.SCHEDULER_NAME;
    }
    if (scheduler.volcano() != null) {
      return VolcanoGang.SCHEDULER_NAME;
    }
    return scheduler.coscheduling() == null ? null : scheduler.coscheduling().schedulerName();
  }

  private void conflicts(
      String member, String name, @Nullable List<ReplicaSpec> types, List<Violation> violations) {
    List<ReplicaSpec> specs = Objects.requireNonNullElse(types, List.of());
    for (int i = 0; i < specs.size(); i++) {
      ReplicaSpec type = specs.get(i);
      String inTemplate =
          type.template() == null || type.template().getSpec() == null
              ? null
              : type.template().getSpec().getSchedulerName();
      if (inTemplate != null && !inTemplate.isEmpty() && !inTemplate.equals(name)) {
        violations.add(
            new Violation(
                id(),
                "spec.replicaSpecs[" + i + "].template.spec.schedulerName",
                FieldValueInvalid,
                "\""
                    + inTemplate
                    + "\" conflicts with spec.scheduler."
                    + member
                    + ", which places the pods with \""
                    + name
                    + "\": take one of the two out"));
      }
    }
  }
}
