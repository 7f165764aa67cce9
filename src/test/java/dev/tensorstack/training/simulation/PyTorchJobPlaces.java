package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * No pod of a replica is asked for while another of it is seen to live, none of an attempt while
 * one of the attempt before does, and each of a replica's pods once.
 */
final class PyTorchJobPlaces {

  /** Pods that a status has listed: those of one name differ in how many were before them. */
  private final Set<String> listed = new HashSet<>();

  /** A status was stored. */
  void stored(PyTorchJobLook look) {
    for (Stated.Entry entry : look.after.replicas().values()) {
      if (entry.uid() != null) {
        listed.add(entry.name() + "/" + entry.earlier());
      }
    }
  }

  /** A creation is sent. */
  void sent(PlannedAction.CreatePod create, View view, boolean current) {
    Invariants.require(
        !current || !listed.contains(create.name() + "/" + create.earlierPods()),
        "a pod that the status has listed is not created again",
        create);
    boolean begun =
        view.pods().values().stream().anyMatch(pod -> pod.pod().attempt() == create.attempt());
    for (PodVersion version : view.pods().values()) {
      ObservedPod pod = version.pod();
      boolean gone = pod.ended() || isGivenUp(pod, view);
      Invariants.require(
          gone || !pod.replica().equals(create.replica()),
          "a replica's place is free before its next pod",
          create,
          "beside",
          pod);
      Invariants.require(
          gone || begun || pod.attempt() >= create.attempt(),
          "an attempt begins after the one before has stopped",
          create,
          "beside",
          pod);
    }
  }

  /** Its node has been lost for so long that nothing is expected of it any more. */
  static boolean isGivenUp(ObservedPod pod, View view) {
    Instant lost = pod.node() == null ? null : view.lostNodes().get(pod.node());
    return lost != null
        && (lost.equals(Instant.EPOCH)
            || !view.now().isBefore(Contract.givenUpAt(lost, pod.createdAt())));
  }
}
