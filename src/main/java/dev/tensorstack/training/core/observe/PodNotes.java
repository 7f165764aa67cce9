package dev.tensorstack.training.core.observe;

import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a job's pods that is not in them.
 *
 * @param published the pods on lost nodes whose addresses the Service still gives to others, by
 *     uid, each with the earliest moment at which it may be taken out; without those for which that
 *     was tried in vain
 * @param troubles what the events of pods say that do not start, by the pod's uid
 * @param creations what was created more than once within the last minutes, by what {@code
 *     TrainingJob.podOfReplica} says of the pod
 * @param failureText what the logs of pods say of their end that have failed and whose status does
 *     not say why, by the pod's uid
 * @param beingRead the uids of pods whose logs are being read for that
 * @param ended pods that were seen to have ended by themselves and were removed afterwards, as they
 *     were seen last, by name; without those that were replaced
 * @param neverStarted the names of pods that were removed before any of their containers that work
 *     has run, as far as this process has seen it
 * @param reports what the job's training has reported of its progress, the earliest first; what the
 *     status knows already may be among it
 * @param gap when nobody could hear such reports last; null when it is of no matter
 */
public record PodNotes(
    Map<String, Instant> published,
    Map<String, String> troubles,
    Map<String, Creations> creations,
    Map<String, FailureText> failureText,
    Set<String> beingRead,
    Map<String, ObservedPod> ended,
    Set<String> neverStarted,
    List<TrainingReport> reports,
    @Nullable ReportGap gap) {

  /**
   * What is known where no training has reported anything.
   *
   * @param published see above
   * @param troubles see above
   * @param creations see above
   * @param failureText see above
   * @param beingRead see above
   * @param ended see above
   * @param neverStarted see above
   */
  public PodNotes(
      Map<String, Instant> published,
      Map<String, String> troubles,
      Map<String, Creations> creations,
      Map<String, FailureText> failureText,
      Set<String> beingRead,
      Map<String, ObservedPod> ended,
      Set<String> neverStarted) {
    this(
        published,
        troubles,
        creations,
        failureText,
        beingRead,
        ended,
        neverStarted,
        List.of(),
        null);
  }

  /**
   * The same notes with what a training has reported.
   *
   * @param received what was received, the earliest first
   * @param unheard when nobody could hear such reports last; null when it is of no matter
   * @return new notes
   */
  public PodNotes with(List<TrainingReport> received, @Nullable ReportGap unheard) {
    return new PodNotes(
        published,
        troubles,
        creations,
        failureText,
        beingRead,
        ended,
        neverStarted,
        received,
        unheard);
  }

  /**
   * What is known where no pod was removed before it ran.
   *
   * @param published see above
   * @param troubles see above
   * @param creations see above
   * @param failureText see above
   * @param beingRead see above
   * @param ended see above
   */
  public PodNotes(
      Map<String, Instant> published,
      Map<String, String> troubles,
      Map<String, Creations> creations,
      Map<String, FailureText> failureText,
      Set<String> beingRead,
      Map<String, ObservedPod> ended) {
    this(published, troubles, creations, failureText, beingRead, ended, Set.of());
  }

  /** Nothing is known. */
  public static final PodNotes NONE = new PodNotes(Map.of(), Map.of());

  /**
   * The creations of one name. There is more than one when a pod is gone before a status has listed
   * it: it was not the job's yet, so nothing is counted and it keeps its name.
   *
   * @param times how many there were, at least 2
   * @param last when the last one was accepted
   */
  public record Creations(int times, Instant last) {}

  /**
   * What is known of pods that have not failed.
   *
   * @param published see above
   * @param troubles see above
   * @param creations see above
   */
  public PodNotes(
      Map<String, Instant> published,
      Map<String, String> troubles,
      Map<String, Creations> creations) {
    this(published, troubles, creations, Map.of(), Set.of(), Map.of());
  }

  /**
   * What is known of pods that stay for longer than it takes to list them.
   *
   * @param published see above
   * @param troubles see above
   */
  public PodNotes(Map<String, Instant> published, Map<String, String> troubles) {
    this(published, troubles, Map.of());
  }
}
