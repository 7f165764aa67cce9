package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods that are placed one by one, by the scheduler that their template names. */
public record PlainScheduling() implements GangScheduler {

  @Override
  public List<ObjectKind> kinds() {
    return List.of();
  }

  @Override
  public @Nullable String queue() {
    return null;
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    // They carry nothing that others would not.
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    throw new IllegalArgumentException("pods that are placed one by one have no " + kind);
  }

  @Override
  public String remedy() {
    throw new IllegalStateException("pods that are placed one by one need no PodGroup");
  }
}
