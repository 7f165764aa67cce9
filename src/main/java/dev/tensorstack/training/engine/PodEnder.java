package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.PlannedAction;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Has pods ended by their kubelets: an {@code activeDeadlineSeconds} that is over ends the
 * containers as a deletion does, and pod and log stay. In a lane of its own.
 */
final class PodEnder {

  private static final Logger LOG = Logger.getLogger(PodEnder.class);

  /** The shortest there is; pods that run are older. */
  private static final long AT_ONCE = 1;

  private final KubernetesClient client;
  private final FairWriteQueue queue;
  private final Clock clock;
  private final BiConsumer<TrainingJob, Instant> enqueueAt;
  private final Predicate<TrainingJob> exists;

  /**
   * A writer.
   *
   * @param enqueueAt is told a job that is to be looked at again, and when
   * @param exists whether a job is still there and stays: asked right before each write
   */
  PodEnder(
      KubernetesClient client,
      FairWriteQueue queue,
      Clock clock,
      BiConsumer<TrainingJob, Instant> enqueueAt,
      Predicate<TrainingJob> exists) {
    this.client = client;
    this.queue = queue;
    this.clock = clock;
    this.enqueueAt = enqueueAt;
    this.exists = exists;
  }

  /** Calls back what waits in the queue and is not wanted any more. */
  void cancelUnwanted(TrainingJob job, Collection<PlannedAction> wanted) {
    queue.retain(
        lane(job), write -> write instanceof Write waiting && wanted.contains(waiting.pod));
  }

  private static String lane(TrainingJob job) {
    return job.uid() + "/ends";
  }

  /** Hands the writes to the queue and returns at once. */
  void execute(TrainingJob job, PodEnds memory, List<PlannedAction> actions) {
    List<FairWriteQueue.Write> writes = new ArrayList<>();
    List<String> uids = new ArrayList<>();
    for (PlannedAction action : actions) {
      if (action instanceof PlannedAction.EndPod pod) {
        uids.add(pod.uid());
        if (memory.begin(pod.uid(), clock.instant())) {
          writes.add(new Write(job, memory, pod));
        }
      }
    }
    memory.keep(uids);
    queue.submit(lane(job), writes, false);
  }

  private final class Write implements FairWriteQueue.Write {
    private final TrainingJob job;
    private final PodEnds memory;
    private final PlannedAction.EndPod pod;

    private Write(TrainingJob job, PodEnds memory, PlannedAction.EndPod pod) {
      this.job = job;
      this.memory = memory;
      this.pod = pod;
    }

    @Override
    public boolean run() {
      if (!exists.test(job)) {
        memory.cancelled(pod.uid());
        return true;
      }
      String refusal = PodPatch.send(client, changes());
      if (refusal == null) {
        memory.done(pod.uid());
        LOG.infof(
            "job %s/%s: the kubelet is asked to end pod %s",
            job.namespace(), job.name(), pod.name());
      } else {
        enqueueAt.accept(job, memory.refused(pod.uid(), clock.instant()));
        LOG.warnf(
            "job %s/%s: the kubelet could not be asked to end pod %s, which is deleted if it does"
                + " not end, and its log with it: %s",
            job.namespace(), job.name(), pod.name(), refusal);
      }
      return true;
    }

    private Pod changes() {
      return new PodBuilder()
          .withNewMetadata()
          .withNamespace(job.namespace())
          .withName(pod.name())
          .withUid(pod.uid())
          .endMetadata()
          .withNewSpec()
          .withActiveDeadlineSeconds(AT_ONCE)
          .endSpec()
          .build();
    }

    @Override
    public void cancelled() {
      memory.cancelled(pod.uid());
    }
  }
}
