package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gang of which another scheduler places a part is complete for none of them.
 *
 * <p>Warns of: a template with a schedulerName other than that of the gang scheduler, where the
 * operator is set to use one.
 */
final class OtherSchedulerWarning implements Warning<PyTorchJobSpec> {

  private final @Nullable String gangScheduler;

  OtherSchedulerWarning(@Nullable String gangScheduler) {
    this.gangScheduler = gangScheduler;
  }

  @Override
  public String id() {
    return "other-scheduler";
  }

  @Override
  public List<String> check(WarningContext<PyTorchJobSpec> job) {
    List<String> texts = new ArrayList<>();
    if (gangScheduler == null) {
      return texts;
    }
    ReplicaFields.known(job.subject().spec())
        .forEach(
            (type, replicas) -> {
              String name = schedulerName(replicas.template());
              if (name != null && !name.isEmpty() && !name.equals(gangScheduler)) {
                texts.add(
                    ReplicaFields.template(type)
                        + ".spec.schedulerName: \""
                        + name
                        + "\" places these pods one by one, and not as a gang: take it out, then \""
                        + gangScheduler
                        + "\" places all pods of the job together");
              }
            });
    return texts;
  }

  private static @Nullable String schedulerName(@Nullable PodTemplateSpec template) {
    return template == null || template.getSpec() == null
        ? null
        : template.getSpec().getSchedulerName();
  }
}
