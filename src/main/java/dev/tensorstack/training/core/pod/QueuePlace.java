package dev.tensorstack.training.core.pod;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.model.ReplicaId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job's place in its queue, as its pods see it (docs/design/queue.md).
 *
 * @param entries the entry whose share each replica uses, in the order of the layout: it owns the
 *     replica's pod beside the job, and does not go before it
 * @param live the node selectors of the pods that run or are to, by replica
 */
public record QueuePlace(
    Map<ReplicaId, QueueEntry> entries, Map<ReplicaId, Map<String, String>> live) {

  /**
   * Sends a pod to the nodes that its queue has chosen; what the user has given stays.
   *
   * @param replica its replica
   * @param metadata the pod's metadata, with labels, annotations and owners, which is changed
   * @param pod the pod's spec, which is changed
   */
  void place(ReplicaId replica, ObjectMeta metadata, PodSpec pod) {
    QueueEntry entry = entries.get(replica);
    if (entry == null) {
      return;
    }
    own(entry.object(), metadata);
    QueueAnswer.Share share = entry.answer().share(replica.type());
    if (share != null) {
      place(share, placeOf(replica, entry, share), metadata, pod);
    }
  }

  /**
   * The place that the queue has chosen for a replica's next pod.
   *
   * @param replica its replica
   * @return labels of the nodes that it is to run on; empty when the queue has chosen none
   */
  public Map<String, String> placeOf(ReplicaId replica) {
    QueueEntry entry = entries.get(replica);
    QueueAnswer.Share share = entry == null ? null : entry.answer().share(replica.type());
    return entry == null || share == null ? Map.of() : placeOf(replica, entry, share);
  }

  /** The replicas of one type in an entry share its places. */
  private Map<String, String> placeOf(
      ReplicaId replica, QueueEntry entry, QueueAnswer.Share share) {
    if (share.places().isEmpty()) {
      return Map.of();
    }
    List<ReplicaId> sharing =
        entries.entrySet().stream()
            .filter(one -> one.getKey().type().equals(replica.type()))
            .filter(one -> one.getValue().uid().equals(entry.uid()))
            .map(Map.Entry::getKey)
            .toList();
    Map<Integer, Map<String, String>> selectors = new LinkedHashMap<>();
    for (int position = 0; position < sharing.size(); position++) {
      Map<String, String> selector = live.get(sharing.get(position));
      if (selector != null) {
        selectors.put(position, selector);
      }
    }
    return TopologyPlaces.placeOf(
        sharing.indexOf(replica), sharing.size(), share.places(), selectors);
  }

  private static void own(HasMetadata entry, ObjectMeta metadata) {
    List<OwnerReference> owners = new ArrayList<>(metadata.getOwnerReferences());
    owners.add(
        new OwnerReferenceBuilder()
            .withApiVersion(entry.getApiVersion())
            .withKind(entry.getKind())
            .withName(entry.getMetadata().getName())
            .withUid(entry.getMetadata().getUid())
            .withBlockOwnerDeletion(true)
            .build());
    metadata.setOwnerReferences(owners);
  }

  private static void place(
      QueueAnswer.Share share, Map<String, String> place, ObjectMeta metadata, PodSpec pod) {
    Map<String, String> nodes = new LinkedHashMap<>(share.nodeSelector());
    nodes.putAll(place);
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
