package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueEntry;
import dev.tensorstack.training.core.observe.ObservedPod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;

/**
 * A pod that waits for a node which its queue has exchanged for another since the pod was created:
 * the node was lost, and the queue saw it later than the operator. Nothing would ever place the
 * pod, so it is replaced by one for the new place. It has done nothing, and that costs nothing.
 */
final class ExchangedPlace {

  private ExchangedPlace() {}

  /**
   * Whether a pod waits for a place that is not the job's any more.
   *
   * @param pod a pod of the job
   * @param spec the job's spec
   * @param admitted the job's admitted entries
   * @return false for a pod that has a node, wherever that is, and for one whose template says
   *     itself what the queue would say
   */
  static boolean isWaitedFor(ObservedPod pod, JobSpec spec, List<QueueEntry> admitted) {
    if (!pod.live() || pod.node() != null || pod.queueEntry() == null) {
      return false;
    }
    return admitted.stream()
        .filter(entry -> entry.uid().equals(pod.queueEntry()))
        .map(entry -> entry.answer().share(pod.replica().type()))
        .anyMatch(share -> share != null && isExchanged(pod, spec, share));
  }

  private static boolean isExchanged(ObservedPod pod, JobSpec spec, QueueAnswer.Share share) {
    Map<String, String> own = own(spec, pod.replica().type());
    return !share.places().isEmpty()
        && share.places().stream()
            .noneMatch(
                place ->
                    // It was given no place, or its own selector would override any place.
                    !pod.nodeSelector().keySet().containsAll(place.keySet())
                        || place.keySet().stream().anyMatch(own::containsKey)
                        || pod.nodeSelector().entrySet().containsAll(place.entrySet()));
  }

  private static Map<String, String> own(JobSpec spec, String type) {
    PodSpec template = spec.type(type).template().getSpec();
    return template == null ? Map.of() : requireNonNullElse(template.getNodeSelector(), Map.of());
  }
}
