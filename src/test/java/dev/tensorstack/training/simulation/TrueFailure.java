package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import java.time.Instant;
import java.util.Comparator;

/**
 * A failure of a replica's present pod that really happened and that the operator can know of.
 *
 * @param uid the pod
 * @param application whose fault it was: the pod's own, or else the cluster's or a person's
 * @param refused whether a node refused the pod before anything started in it
 * @param exitCode of the container that failed; null when none did
 * @param trained whether a container failed that is no init container
 * @param time when it happened, or when it was seen if nobody says
 */
record TrueFailure(
    ReplicaId replica,
    String uid,
    boolean application,
    boolean refused,
    Integer exitCode,
    boolean trained,
    Instant time) {

  /** In one second, what the cluster did comes before what processes made of it. */
  static final Comparator<TrueFailure> EARLIEST_FIRST =
      Comparator.comparing(TrueFailure::time).thenComparing(TrueFailure::application);

  /** The failure of one replica; null when it has none. */
  static TrueFailure of(View view, Present present, ReplicaId id) {
    PodVersion version = present.pod(id);
    String uid = present.uid(id);
    if (version == null) {
      return uid == null ? null : new TrueFailure(id, uid, false, false, null, false, view.now());
    }
    if (present.late(id)) {
      return null;
    }
    ObservedPod pod = version.pod();
    Truth truth = version.truth();
    Instant lost = pod.node() == null ? null : view.lostNodes().get(pod.node());
    return switch (truth.kind()) {
      case APPLICATION ->
          new TrueFailure(id, uid, true, false, exitCode(pod), trained(pod), truth.since());
      case DISRUPTION -> disruption(id, pod, truth, lost, view.now());
      case DONE -> null;
      case ALIVE ->
          lost != null && !view.now().isBefore(lost.plus(Settings.GRACE))
              ? new TrueFailure(id, uid, false, false, null, false, lost)
              : null;
    };
  }

  private static TrueFailure disruption(
      ReplicaId id, ObservedPod pod, Truth truth, Instant lost, Instant now) {
    boolean refused = truth.since() == null;
    Instant time = refused ? now : truth.since();
    // Who deletes a pod of a node that has fallen silent does so because of the silence.
    boolean becauseOfTheNode =
        !refused
            && truth.since().equals(pod.deletionRequestedAt())
            && lost != null
            && lost.isBefore(time);
    return new TrueFailure(
        id, pod.uid(), false, refused, exitCode(pod), trained(pod), becauseOfTheNode ? lost : time);
  }

  private static boolean trained(ObservedPod pod) {
    return pod.containers().stream().anyMatch(one -> !one.init() && one.failed());
  }

  private static Integer exitCode(ObservedPod pod) {
    return pod.containers().stream()
        .filter(ObservedContainer::failed)
        .map(ObservedContainer::exitCode)
        .findFirst()
        .orElse(null);
  }
}
