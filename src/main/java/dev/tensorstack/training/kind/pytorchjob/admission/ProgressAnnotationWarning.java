package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.spec.ProgressAnnotation;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;

/**
 * The annotation that asks for progress says something that cannot be understood.
 *
 * <p>Warns of: an annotation batch.tensorstack.dev/progress that is no JSON object, or whose limits
 * cannot work.
 */
final class ProgressAnnotationWarning implements Warning<PyTorchJobSpec> {

  @Override
  public String id() {
    return "progress-annotation";
  }

  @Override
  public List<String> check(WarningContext<PyTorchJobSpec> job) {
    String problem = ProgressAnnotation.problem(job.annotations());
    return problem == null
        ? List.of()
        : List.of("metadata.annotations[" + ProgressAnnotation.NAME + "]: " + problem);
  }
}
