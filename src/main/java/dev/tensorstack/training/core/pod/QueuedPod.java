package dev.tensorstack.training.core.pod;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.QueueAnswer;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a job's queue wants of a pod. What the user has given stays (docs/design/queue.md). */
final class QueuedPod {

  private QueuedPod() {}

  /**
   * Sends a pod to the nodes that its queue has chosen.
   *
   * @param share what the replicas of its type were given
   * @param position how many replicas of its type come before it
   * @param metadata the pod's metadata, with labels and annotations, which is changed
   * @param pod the pod's spec, which is changed
   */
  static void place(QueueAnswer.Share share, int position, ObjectMeta metadata, PodSpec pod) {
    Map<String, String> nodes = new LinkedHashMap<>(share.nodeSelector());
    if (position < share.places().size()) {
      nodes.putAll(share.places().get(position));
    }
    if (!nodes.isEmpty()) {
      nodes.putAll(requireNonNullElse(pod.getNodeSelector(), Map.of()));
      pod.setNodeSelector(nodes);
    }
    List<Toleration> tolerations =
        new ArrayList<>(requireNonNullElse(pod.getTolerations(), List.of()));
    share.tolerations().stream()
        .filter(toleration -> !tolerations.contains(toleration))
        .forEach(tolerations::add);
    if (!tolerations.isEmpty()) {
      pod.setTolerations(tolerations);
    }
    share.labels().forEach(metadata.getLabels()::putIfAbsent);
    share.annotations().forEach(metadata.getAnnotations()::putIfAbsent);
  }
}
