package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueForbidden;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who works on a job, and in which queue it waits, stays as it is.
 *
 * <p>Refuses: a change of runPolicy.managedBy or runPolicy.schedulingPolicy.queue, also while the
 * job is suspended.
 */
final class ImmutableRule implements Rule<PyTorchJobSpec> {

  private static final String QUEUE = "spec.runPolicy.schedulingPolicy.queue";
  private static final String MANAGED_BY = "spec.runPolicy.managedBy";

  @Override
  public String id() {
    return "immutable";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    PyTorchJobSpec old = subject.old();
    if (old != null) {
      compare(check, MANAGED_BY, managedBy(old), managedBy(subject.spec()));
      compare(check, QUEUE, queue(old), queue(subject.spec()));
    }
    return check.violations();
  }

  private static @Nullable String managedBy(PyTorchJobSpec spec) {
    return spec.runPolicy() == null ? null : spec.runPolicy().managedBy();
  }

  /** A queue without a name is the default one, as when none is given. */
  private static String queue(PyTorchJobSpec spec) {
    return spec.runPolicy() == null || spec.runPolicy().schedulingPolicy() == null
        ? ""
        : requireNonNullElse(spec.runPolicy().schedulingPolicy().queue(), "");
  }

  private static void compare(
      FieldCheck check, String field, @Nullable String before, @Nullable String after) {
    if (!Objects.equals(before, after)) {
      check.add(
          field, FieldValueForbidden, "is immutable: leave it as it was, or create another job");
    }
  }
}
