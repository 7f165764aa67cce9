package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a job that is to have none for a while.
 *
 * @param deletions what stops them, and takes away what the next pods would find in their way
 * @param unfinished whether any of them may still run, or is being created
 * @param requeueAt when one that nobody ends is given up; null when there is none
 * @param deletableAt when one that came late to a node that is lost can be deleted; null when none
 *     needs that
 */
record StoppingPods(
    List<PlannedAction> deletions,
    boolean unfinished,
    @Nullable Instant requeueAt,
    @Nullable Instant deletableAt) {

  /** What is to be done about them now. */
  static StoppingPods of(Observation seen, PlanSettings settings, Instant now) {
    boolean namesComeAgain = seen.job().spec().traits().reusesPodNames();
    List<PlannedAction> deletions = new ArrayList<>(ServicePlan.superfluous(seen, List.of()));
    boolean unfinished = !seen.creating().isEmpty();
    Instant requeueAt = null;
    Instant deletableAt = null;
    for (ObservedPod pod : seen.pods()) {
      boolean givenUp = pod.givenUp(settings.nodeLossGrace(), now);
      Instant givenUpAt = pod.givenUpAt(settings.nodeLossGrace());
      // A pod on a lost node has a name that those of the resume will have, and nobody ends it.
      boolean atOnce = namesComeAgain && (givenUp || pod.waitsForLostKubelet());
      // Ended pods stay for their logs, unless those of the resume will have their names.
      boolean goes = pod.live() || (namesComeAgain && !pod.deleting());
      if (atOnce || goes) {
        deletions.add(new PlannedAction.DeletePod(pod.name(), pod.uid(), atOnce));
      }
      if (!pod.ended() && !givenUp) {
        unfinished = true;
        requeueAt = Plan.earlier(requeueAt, givenUpAt);
      }
      if (namesComeAgain && givenUpAt != null && now.isBefore(givenUpAt)) {
        deletableAt = Plan.earlier(deletableAt, givenUpAt);
      }
    }
    return new StoppingPods(deletions, unfinished, requeueAt, deletableAt);
  }
}
