package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Instant;
import java.util.List;

/**
 * What became of a replica's pod, as the contract has it, of what could be known at a look.
 *
 * @param kind what became of it
 * @param certain false when it may as well be called alive yet: somebody has deleted it, and it has
 *     not gone
 * @param uid the pod's uid; null when there is no pod
 * @param exitCode of what ended badly; null when nothing did
 * @param agentEnded whether the training container ended by itself, not an init container
 * @param from when it happened, at the earliest; null when nothing happened
 * @param until when it happened, at the latest
 */
record Fate(
    Kind kind,
    boolean certain,
    String uid,
    Integer exitCode,
    boolean agentEnded,
    Instant from,
    Instant until) {

  enum Kind {
    /** There is no pod yet. */
    NONE,
    /** It waits, starts or runs. */
    LIVE,
    /** The operator told it to stop. */
    STOPPED,
    /** One of an earlier attempt or mode, whose creation came late. */
    STRAY,
    /** It ended well. */
    DONE,
    /** It failed by its own fault. */
    APPLICATION,
    /** The cluster or a person took it away. */
    DISRUPTION
  }

  Fate {
    // Clocks go back at times.
    until = until != null && until.isBefore(from) ? from : until;
  }

  private static final Fate NO_POD = of(Kind.NONE, null);

  private static Fate of(Kind kind, String uid) {
    return new Fate(kind, true, uid, null, false, null, null);
  }

  boolean failed() {
    return kind == Kind.APPLICATION || kind == Kind.DISRUPTION;
  }

  /** It has not ended, or nobody can know. */
  boolean live() {
    return kind == Kind.LIVE || (failed() && !certain);
  }

  static Fate of(Stated.Entry entry, Stated before, View view, Cluster cluster) {
    PodVersion seen = view.pods().get(entry.name());
    if (entry.uid() == null) {
      return seen == null || seen.pod().earlierPods() != entry.earlier()
          ? NO_POD
          : ofUnlisted(seen, before, view, cluster);
    }
    if (seen == null || !seen.pod().uid().equals(entry.uid())) {
      PodVersion last = view.ended().get(entry.uid());
      if (last != null && !entry.phase().equals("Succeeded") && !entry.phase().equals("Failed")) {
        return ofSeen(last, view, cluster);
      }
      return ofGone(entry, cluster.everCreated(entry.uid()), view.now());
    }
    return entry.phase().equals("Succeeded")
        ? of(Kind.DONE, entry.uid())
        : ofSeen(seen, view, cluster);
  }

  private static Fate ofUnlisted(PodVersion seen, Stated before, View view, Cluster cluster) {
    boolean stray =
        seen.pod().attempt() != before.attempt()
            || (before.mode() != null && seen.pod().mode() != before.mode());
    return stray ? of(Kind.STRAY, seen.pod().uid()) : ofSeen(seen, view, cluster);
  }

  /**
   * What the status has listed and is no more. What it has called ended stays that; the rest was
   * deleted by hand, whatever its containers may have come to meanwhile.
   */
  private static Fate ofGone(Stated.Entry entry, SimulatedPod pod, Instant now) {
    if (entry.phase().equals("Succeeded")) {
      return of(Kind.DONE, entry.uid());
    }
    Truth truth = pod.truth();
    if (entry.phase().equals("Failed") && truth.kind() != Truth.Kind.ALIVE) {
      return new Fate(
          truth.kind() == Truth.Kind.APPLICATION ? Kind.APPLICATION : Kind.DISRUPTION,
          true,
          pod.uid,
          pod.exitCode(),
          true,
          truth.since() == null ? pod.createdAt : truth.since(),
          now);
    }
    if (pod.stoppedByOperator() || pod.goneAt() == null) {
      return of(Kind.STOPPED, pod.uid);
    }
    Instant since = truth.kind() == Truth.Kind.DISRUPTION ? truth.since() : null;
    Instant from = since == null ? SimulatedPod.second(pod.goneAt()) : since;
    return new Fate(Kind.DISRUPTION, true, pod.uid, null, false, pod.orLost(from), now);
  }

  private static Fate ofSeen(PodVersion seen, View view, Cluster cluster) {
    ObservedPod pod = seen.pod();
    Truth truth = seen.truth();
    switch (truth.kind()) {
      case DONE -> {
        return new Fate(Kind.DONE, true, pod.uid(), null, true, truth.since(), truth.since());
      }
      case APPLICATION -> {
        boolean agent = pod.containers().stream().noneMatch(one -> one.init() && one.failed());
        return new Fate(
            Kind.APPLICATION,
            true,
            pod.uid(),
            exitCode(pod.containers()),
            agent,
            truth.since(),
            truth.since());
      }
      case DISRUPTION -> {
        Instant from = truth.since() == null ? pod.createdAt() : truth.since();
        Fate lost = ofLost(pod, view);
        boolean certain = pod.ended() || (lost != null && lost.certain());
        from = cluster.everCreated(pod.uid()).orLost(from);
        return new Fate(Kind.DISRUPTION, certain, pod.uid(), null, false, from, view.now());
      }
      default -> {
        if (pod.ended() || pod.deleting()) {
          return of(Kind.STOPPED, pod.uid());
        }
        Fate lost = ofLost(pod, view);
        return lost == null ? of(Kind.LIVE, pod.uid()) : lost;
      }
    }
  }

  /** Null for a pod that there is hope for. */
  private static Fate ofLost(ObservedPod pod, View view) {
    Instant since = pod.node() == null ? null : view.lostNodes().get(pod.node());
    if (since == null || pod.ended()) {
      return null;
    }
    boolean over = !view.now().isBefore(Contract.givenUpAt(since, pod.createdAt()));
    if (!over && !since.equals(Instant.EPOCH)) {
      return null;
    }
    Instant from = since.isAfter(pod.createdAt()) ? since : pod.createdAt();
    return new Fate(Kind.DISRUPTION, over, pod.uid(), null, false, from, view.now());
  }

  /** Of what ended badly, or null. */
  static Integer exitCode(List<ObservedContainer> containers) {
    for (ObservedContainer container : containers) {
      if (container.failed()) {
        return container.exitCode();
      }
    }
    return null;
  }
}
