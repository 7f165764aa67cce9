package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.javaoperatorsdk.operator.processing.event.source.filter.OnUpdateFilter;
import java.util.Objects;

/**
 * Which changes of a job are a reason to look at it: the operator's own status writes are none. The
 * labels count, as a queue is named by one of them, and new pods carry them.
 */
public final class SpecOrLabelsChanged implements OnUpdateFilter<HasMetadata> {

  /** The framework makes it. */
  public SpecOrLabelsChanged() {}

  @Override
  public boolean accept(HasMetadata changed, HasMetadata before) {
    ObjectMeta now = changed.getMetadata();
    ObjectMeta then = before.getMetadata();
    return !Objects.equals(now.getGeneration(), then.getGeneration())
        || !Objects.equals(now.getDeletionTimestamp(), then.getDeletionTimestamp())
        || !Objects.equals(now.getUid(), then.getUid())
        || !Objects.equals(now.getLabels(), then.getLabels());
  }
}
