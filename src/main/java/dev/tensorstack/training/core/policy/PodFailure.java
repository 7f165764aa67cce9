package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod that failed, and why (docs/concepts.md, Success and failure).
 *
 * @param replica the replica
 * @param pod the pod's name
 * @param cause whose fault it is
 * @param exitCode the exit code of the container that failed, or null when none ended
 * @param signal the signal that ended that container, or null
 * @param reason one word: Error, OOMKilled, Evicted, …
 * @param message the termination message or an explanation, or null
 * @param node the node, or null
 * @param time when it happened
 * @param origin whose failure it was: its own, or the consequence of another one
 * @param begun when it began, as far as anybody says so: of torchrun, when the first of its
 *     processes failed, in whole seconds; else {@code time}
 * @param beforeStart whether the pod was deleted before any of its containers that work has run
 */
public record PodFailure(
    ReplicaId replica,
    String pod,
    FailureCause cause,
    @Nullable Integer exitCode,
    @Nullable Integer signal,
    String reason,
    @Nullable String message,
    @Nullable String node,
    Instant time,
    FailureText.Origin origin,
    Instant begun,
    boolean beforeStart) {

  /** Orders failures of the same moment: consequences come last, and then the earliest first. */
  public static final Comparator<PodFailure> TO_BLAME_FIRST =
      Comparator.comparing((PodFailure failure) -> failure.origin())
          .thenComparing((PodFailure failure) -> failure.begun());

  /** The reason of a failure that is a deletion by somebody else. */
  public static final String DELETED = "Deleted";

  /** The exit code of a container that was killed, by SIGKILL. */
  static final int KILLED = 137;

  /** Words in {@code status.reason} with which kubelets refuse or give up a pod. */
  private static final Set<String> KUBELET_DISRUPTIONS =
      Set.of(
          "Evicted",
          "NodeLost",
          "NodeShutdown",
          "Terminated",
          "Shutdown",
          "NodeAffinity",
          "UnexpectedAdmissionError",
          "Preempting",
          "TopologyAffinityError");

  private static final FailureText NO_TEXT = new FailureText(null, FailureText.Origin.OWN, null);

  private static final String OUT_OF_MEMORY = "OOMKilled";
  private static final String OUT_OF_A_RESOURCE = "OutOf";

  /** How the message of a kubelet begins that does not admit a pod, whatever the reason. */
  private static final String REFUSED = "Pod was rejected";

  private static final String NODE_LOST = "NodeLost";

  /** The exit code of Python after an exception, and of torchrun after any failure. */
  private static final int EXCEPTION = 1;

  /** Local times differ from UTC by a multiple of this. */
  private static final Duration TIME_ZONES = Duration.ofMinutes(15);

  private static final Duration CLOCKS = Duration.ofMinutes(1);

  /**
   * The failure of a pod: it ended badly, somebody else is deleting it, or its node is lost.
   *
   * @param pod a replica's present pod, which the operator itself has not asked to go
   * @param now the present time; the time of the failure if nobody says another
   * @param nodeLossGrace how long a lost node may take to come back
   * @return the failure, or empty when the pod has not failed
   */
  public static Optional<PodFailure> of(ObservedPod pod, Instant now, Duration nodeLossGrace) {
    return of(pod, null, now, nodeLossGrace);
  }

  /**
   * The same, when the log of the pod was read.
   *
   * @param pod a replica's present pod, which the operator itself has not asked to go
   * @param log what its log says of its end; null when it was not read
   * @param now the present time; the time of the failure if nobody says another
   * @param nodeLossGrace how long a lost node may take to come back
   * @return the failure, or empty when the pod has not failed
   */
  public static Optional<PodFailure> of(
      ObservedPod pod, @Nullable FailureText log, Instant now, Duration nodeLossGrace) {
    if (pod.endedByItself()) {
      return pod.phase() == ObservedPod.Phase.FAILED
          ? Optional.of(ended(pod, log, isDisrupted(pod), now))
          : Optional.empty();
    }
    if (pod.deleting()) {
      Instant since = pod.deletionRequestedAt() == null ? now : pod.deletionRequestedAt();
      return Optional.of(
          disruption(
                  pod,
                  DELETED,
                  "the pod was deleted by somebody else",
                  isSilent(pod) && pod.lostFrom().isBefore(since) ? pod.lostFrom() : since)
              .beforeStart(pod.phase() == ObservedPod.Phase.PENDING));
    }
    if (pod.givenUp(nodeLossGrace, now)) {
      return Optional.of(
          isSilent(pod)
              ? disruption(
                  pod,
                  NODE_LOST,
                  "the pod's node has not reported since " + pod.lostSince(),
                  pod.lostFrom())
              : disruption(pod, NODE_LOST, "the pod's node was taken out of service", now));
    }
    return Optional.empty();
  }

  private PodFailure beforeStart(boolean is) {
    return new PodFailure(
        replica, pod, cause, exitCode, signal, reason, message, node, time, origin, begun, is);
  }

  /** Whether the pod's node stopped to report at a known time; one out of service did not. */
  private static boolean isSilent(ObservedPod pod) {
    return pod.lostSince() != null && !pod.lostSince().equals(Instant.EPOCH);
  }

  /**
   * The failure of a container that the kubelet has started again.
   *
   * @param pod its pod
   * @param end how the container ended
   * @param now the present time; the time of the failure if the end says no other
   * @return the failure, which is the application's
   */
  public static PodFailure inPlace(ObservedPod pod, ObservedContainer end, Instant now) {
    FailureText words = failureText(end, null);
    Instant time = end.finishedAt() == null ? now : end.finishedAt();
    return new PodFailure(
        pod.replica(),
        pod.name(),
        FailureCause.Application,
        end.sidecar() ? null : end.exitCode(),
        end.signal(),
        firstOf(end.reason(), null, "Error"),
        messageOf(end, words.summary()),
        pod.node(),
        time,
        origin(end, words),
        begun(words.failedAt(), time),
        false);
  }

  /**
   * The failure of a pod that is no more, though the operator did not delete it.
   *
   * @param replica the replica whose present pod it was
   * @param pod the pod's name
   * @param beforeStart whether it was seen last before it had run
   * @param now the present time
   * @return the failure
   */
  public static PodFailure vanished(
      ReplicaId replica, String pod, boolean beforeStart, Instant now) {
    return new PodFailure(
        replica,
        pod,
        FailureCause.Disruption,
        null,
        null,
        DELETED,
        "the pod was deleted by somebody else",
        null,
        now,
        FailureText.Origin.OWN,
        now,
        beforeStart);
  }

  /**
   * The failure of a pod that the status has recorded as failed and that was removed afterwards.
   *
   * @param replica the replica whose present pod it was
   * @param pod the pod's name
   * @param end what the status has recorded
   * @param now the present time: nobody says any more when it failed
   * @return the failure as it was, as far as it was recorded
   */
  public static PodFailure recorded(
      ReplicaId replica, String pod, Ledger.RecordedEnd end, Instant now) {
    return new PodFailure(
        replica,
        pod,
        end.disruption() ? FailureCause.Disruption : FailureCause.Application,
        end.exitCode(),
        null,
        firstOf(end.reason(), null, "Error"),
        "the pod was removed after it had failed",
        null,
        now,
        FailureText.Origin.OWN,
        now,
        false);
  }

  /**
   * The failure of a pod that the status has recorded as failed and that is still there. What
   * happens to the pod afterwards says nothing of the cause.
   *
   * @param pod a pod of phase Failed
   * @param log what its log says of its end; null when it was not read
   * @param end what the status has recorded
   * @param now the present time; the time of the failure if the pod says no other
   * @return the failure as the pod tells it, with the cause that was recorded
   */
  public static PodFailure recorded(
      ObservedPod pod, @Nullable FailureText log, Ledger.RecordedEnd end, Instant now) {
    return ended(pod, log, end.disruption(), now);
  }

  /**
   * Whether a pod that has failed did so because the cluster took it away. A drain, a taint or the
   * scheduler mark also a pod that has failed already, before they remove it: a mark of later than
   * the failure is not its cause. Times are whole seconds; a mark in the second of the failure came
   * first, as it does when the processes end soon after they are told to.
   *
   * @param pod a pod of phase Failed
   * @return true after an eviction, a preemption, a kubelet's refusal and the like
   */
  public static boolean isDisrupted(ObservedPod pod) {
    return (pod.disruption() != null && !hadFailedBefore(pod, pod.disruptedAt()))
        || isKubeletsWord(pod.reason())
        || isRefused(pod.message());
  }

  /**
   * How a pod ended, to be recorded.
   *
   * @param pod a pod that has ended by itself
   * @return its end, which is not tolerated yet
   */
  public static Ledger.RecordedEnd end(ObservedPod pod) {
    return pod.phase() == ObservedPod.Phase.SUCCEEDED
        ? Ledger.RecordedEnd.SUCCEEDED
        : failed(isDisrupted(pod), pod.containers());
  }

  /**
   * How a pod failed, to be recorded.
   *
   * @param disrupted whether the cluster took it away
   * @param containers what is known of its containers
   * @return its end, which is not tolerated yet
   */
  public static Ledger.RecordedEnd failed(boolean disrupted, List<ObservedContainer> containers) {
    ObservedContainer culprit = culprit(containers);
    return culprit == null
        ? new Ledger.RecordedEnd(false, disrupted, null, null)
        : new Ledger.RecordedEnd(
            false, disrupted, decidingCode(containers, culprit), culprit.reason());
  }

  private static boolean hadFailedBefore(ObservedPod pod, @Nullable Instant moment) {
    ObservedContainer culprit = culprit(pod.containers());
    return moment != null
        && culprit != null
        && culprit.finishedAt() != null
        && culprit.finishedAt().isBefore(moment);
  }

  private static PodFailure ended(
      ObservedPod pod, @Nullable FailureText log, boolean disruption, Instant now) {
    ObservedContainer culprit = culprit(pod.containers());
    String reason =
        disruption
            ? firstOf(word(pod.disruption()), pod.reason(), "Disrupted")
            : firstOf(culprit == null ? null : culprit.reason(), pod.reason(), "Error");
    FailureText words = culprit == null ? NO_TEXT : failureText(culprit, log);
    String message =
        disruption
            ? firstOrNull(rest(pod.disruption()), pod.message())
            : firstOrNull(
                culprit == null ? null : messageOf(culprit, words.summary()), pod.message());
    Instant time = culprit == null || culprit.finishedAt() == null ? now : culprit.finishedAt();
    return new PodFailure(
        pod.replica(),
        pod.name(),
        disruption ? FailureCause.Disruption : FailureCause.Application,
        culprit == null ? null : decidingCode(pod.containers(), culprit),
        culprit == null ? null : culprit.signal(),
        reason,
        message,
        pod.node(),
        time,
        disruption ? FailureText.Origin.OWN : origin(culprit, words),
        begun(words.failedAt(), time),
        false);
  }

  /**
   * The exit code that decides: where only one container of a pod counts, that of this one, whoever
   * else has failed.
   *
   * @return null when that container has not ended
   */
  private static @Nullable Integer decidingCode(
      List<ObservedContainer> containers, ObservedContainer culprit) {
    if (!culprit.sidecar()) {
      return culprit.exitCode();
    }
    return containers.stream()
        .filter(one -> !one.sidecar())
        .map(ObservedContainer::exitCode)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** What is killed says nothing any more: its last words may be of a loss that it has survived. */
  private static FailureText.Origin origin(@Nullable ObservedContainer culprit, FailureText words) {
    boolean killed = culprit != null && Objects.equals(culprit.exitCode(), KILLED);
    return killed && words.origin() == FailureText.Origin.CONSEQUENCE
        ? FailureText.Origin.UNKNOWN
        : words.origin();
  }

  /**
   * The container of a pod whose log may tell more of its end than its status does.
   *
   * @param pod a pod
   * @return the container that failed and does not say why; null when the pod has not failed by
   *     itself, or says why
   */
  public static @Nullable ObservedContainer unexplained(ObservedPod pod) {
    if (pod.phase() != ObservedPod.Phase.FAILED || !pod.endedByItself() || isDisrupted(pod)) {
      return null;
    }
    ObservedContainer culprit = culprit(pod.containers());
    if (culprit == null || culprit.init()) {
      return null;
    }
    FailureText words = failureText(culprit, null);
    boolean silent = words.summary() == null && Objects.equals(culprit.exitCode(), EXCEPTION);
    return silent || words.origin() != FailureText.Origin.OWN ? culprit : null;
  }

  private static FailureText failureText(ObservedContainer culprit, @Nullable FailureText log) {
    FailureText message = TerminationMessage.of(culprit.message());
    if (culprit.init() || OUT_OF_MEMORY.equals(culprit.reason())) {
      return new FailureText(message.summary(), FailureText.Origin.OWN, message.failedAt());
    }
    if (log != null && log.summary() != null) {
      return log;
    }
    return message;
  }

  /**
   * The moment of which only the local time is known: the last one before the end of the container
   * that has it in any time zone. Agents end within seconds once a process has failed.
   */
  private static Instant begun(@Nullable LocalDateTime failedAt, Instant end) {
    if (failedAt == null) {
      return end;
    }
    long zone = TIME_ZONES.toSeconds();
    long before =
        Math.floorMod(end.getEpochSecond() - failedAt.toEpochSecond(ZoneOffset.UTC), zone);
    // Clocks that are not quite the same do not make it a quarter of an hour.
    return before > zone - CLOCKS.toSeconds() ? end : end.minusSeconds(before);
  }

  private static PodFailure disruption(
      ObservedPod pod, String reason, String message, Instant time) {
    return new PodFailure(
        pod.replica(),
        pod.name(),
        FailureCause.Disruption,
        null,
        null,
        firstOf(word(pod.disruption()), pod.reason(), reason),
        firstOf(rest(pod.disruption()), pod.message(), message),
        pod.node(),
        time,
        FailureText.Origin.OWN,
        time,
        false);
  }

  /**
   * The container that failed first; the others of the pod were stopped because of it. An init
   * container only if no other failed: one that fails lets no other start, and what a sidecar exits
   * with when it is stopped, perhaps in the same second, says nothing.
   *
   * @param containers the containers of one pod, in their order; of two that failed, a sidecar is
   *     not the one
   * @return the one whose exit code and reason are the pod's; null when none has failed
   */
  public static @Nullable ObservedContainer culprit(List<ObservedContainer> containers) {
    return containers.stream()
        .filter(ObservedContainer::failed)
        .min(
            Comparator.comparing(ObservedContainer::init)
                .thenComparing(ObservedContainer::sidecar)
                .thenComparing(
                    ObservedContainer::finishedAt, Comparator.nullsLast(Comparator.naturalOrder())))
        .orElse(null);
  }

  /**
   * Its log is not the one that {@code kubectl logs} shows, so an init container is named. So is a
   * sidecar, of which the exit code of the pod says nothing.
   */
  private static @Nullable String messageOf(ObservedContainer culprit, @Nullable String message) {
    if (!culprit.init() && !culprit.sidecar()) {
      return message;
    }
    String who =
        culprit.init()
            ? "init container " + culprit.name()
            : "container " + culprit.name() + " exited with code " + culprit.exitCode();
    return message == null ? who : who + ": " + message;
  }

  private static boolean isKubeletsWord(@Nullable String reason) {
    return reason != null
        && (KUBELET_DISRUPTIONS.contains(reason) || reason.startsWith(OUT_OF_A_RESOURCE));
  }

  private static boolean isRefused(@Nullable String message) {
    return message != null && message.startsWith(REFUSED);
  }

  /** The reason in {@code reason: message}. */
  private static @Nullable String word(@Nullable String condition) {
    return condition == null ? null : condition.split(":", 2)[0].strip();
  }

  /** The message in {@code reason: message}. */
  private static @Nullable String rest(@Nullable String condition) {
    return condition == null || !condition.contains(":")
        ? null
        : condition.split(":", 2)[1].strip();
  }

  private static String firstOf(@Nullable String a, @Nullable String b, String otherwise) {
    return Objects.requireNonNullElse(firstOrNull(a, b), otherwise);
  }

  private static @Nullable String firstOrNull(@Nullable String a, @Nullable String b) {
    return a == null || a.isEmpty() ? b : a;
  }

  /**
   * One sentence for people: which pod, what exit code, why.
   *
   * @return for example {@code pod x-worker-1 (worker-1) failed with exit code 137 (OOMKilled) on
   *     node n2}
   */
  public String describe() {
    StringBuilder text =
        new StringBuilder("pod ").append(pod).append(" (").append(replica).append(") failed");
    if (exitCode != null) {
      text.append(" with exit code ").append(exitCode);
    }
    text.append(" (").append(reason).append(")");
    if (node != null) {
      text.append(" on node ").append(node);
    }
    if (message != null && !message.isBlank()) {
      text.append(": ").append(message.strip());
    }
    return text.toString();
  }

  /**
   * The failure as it is remembered.
   *
   * @return the ledger's form
   */
  public Ledger.Failure toLedger() {
    return new Ledger.Failure(
        replica.toString(),
        pod,
        cause,
        exitCode,
        signal,
        reason,
        node,
        message == null ? null : message.strip(),
        time.truncatedTo(ChronoUnit.SECONDS));
  }
}
