package dev.tensorstack.training.core.observe;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads from a node whether its pods can be reckoned with. */
public final class NodeReader {

  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  private NodeReader() {}

  /**
   * Since when a node is lost: its kubelet does not report any more, so nobody knows what its pods
   * do, and nobody stops them. A node whose kubelet says of itself that it is not ready is none.
   *
   * @param node the node
   * @param seen when this was seen, in case the node does not say since when
   * @return the moment; the epoch for a node that an administrator has taken out of service, which
   *     needs no grace; null for a node that reports
   */
  public static @Nullable Instant lostSince(Node node, Instant seen) {
    List<Taint> taints =
        node.getSpec() == null || node.getSpec().getTaints() == null
            ? List.of()
            : node.getSpec().getTaints();
    if (taints.stream().anyMatch(taint -> OUT_OF_SERVICE.equals(taint.getKey()))) {
      return Instant.EPOCH;
    }
    if (node.getStatus() == null) {
      return null;
    }
    for (NodeCondition condition : node.getStatus().getConditions()) {
      if ("Ready".equals(condition.getType()) && "Unknown".equals(condition.getStatus())) {
        return Objects.requireNonNullElse(time(condition.getLastTransitionTime()), seen);
      }
    }
    return null;
  }

  private static @Nullable Instant time(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException noTime) {
      return null;
    }
  }
}
