package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.ProgressCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.OnHang;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Progress;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits of a training's progress can be reached, and the pattern finds something.
 *
 * <p>Refuses: a limit below 1, {@code onFailure: Restart} without a limit, an unknown word, a
 * {@code logPattern} that is no regular expression of RE2, is too long, or lacks the groups that
 * the limits need.
 */
final class ProgressRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String PATH = "spec.runPolicy.progress";

  @Override
  public String id() {
    return "progress";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    Progress progress =
        subject.spec().runPolicy() == null ? null : subject.spec().runPolicy().progress();
    if (progress == null) {
      return List.of();
    }
    FieldCheck words = new FieldCheck(id());
    words.word(PATH + ".onFailure", progress.onFailure(), OnHang.values());
    List<Violation> all =
        new ArrayList<>(
            ProgressCheck.check(
                id(),
                PATH,
                new ProgressCheck.Limits(
                    progress.startSeconds(),
                    progress.stallSeconds(),
                    progress.failOnNaN(),
                    progress.logPattern(),
                    progress.onFailure())));
    all.addAll(words.violations());
    return all;
  }
}
