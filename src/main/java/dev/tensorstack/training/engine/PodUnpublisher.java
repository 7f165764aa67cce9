package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.PlannedAction;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Takes pods out of their job's Service, by the label that it selects them by. In a lane of its
 * own: nothing that was refused to the job holds it up.
 */
final class PodUnpublisher {

  private static final Logger LOG = Logger.getLogger(PodUnpublisher.class);

  private final KubernetesClient client;
  private final FairWriteQueue queue;
  private final Clock clock;
  private final Listener listener;
  private final Predicate<TrainingJob> exists;

  /** Is told about answered writes. */
  interface Listener {
    /** It is not tried any more to take a pod out of the Service. */
    void stillPublished(TrainingJob job, String message);

    /** Something changed that no watch will tell: look at the job again. */
    void enqueue(TrainingJob job);
  }

  /**
   * A writer.
   *
   * @param exists whether a job is still there and stays: asked right before each write
   */
  PodUnpublisher(
      KubernetesClient client,
      FairWriteQueue queue,
      Clock clock,
      Listener listener,
      Predicate<TrainingJob> exists) {
    this.client = client;
    this.queue = queue;
    this.clock = clock;
    this.listener = listener;
    this.exists = exists;
  }

  /**
   * Calls back what waits in the queue and is not wanted any more. Once it returns, nothing of it
   * begins.
   *
   * @param wanted all that the newest plan wants; none when the job is being deleted
   */
  void cancelUnwanted(TrainingJob job, Collection<PlannedAction> wanted) {
    queue.retain(
        lane(job), write -> write instanceof Write waiting && wanted.contains(waiting.pod));
  }

  private static String lane(TrainingJob job) {
    return job.uid() + "/names";
  }

  /** Hands the writes to the queue and returns at once. */
  void execute(TrainingJob job, Unpublishing memory, List<PlannedAction> actions) {
    List<FairWriteQueue.Write> writes = new ArrayList<>();
    for (PlannedAction action : actions) {
      if (action instanceof PlannedAction.UnpublishPod pod && memory.begin(pod.uid())) {
        writes.add(new Write(job, memory, pod));
      }
    }
    queue.submit(lane(job), writes, false);
  }

  private final class Write implements FairWriteQueue.Write {
    private final TrainingJob job;
    private final Unpublishing memory;
    private final PlannedAction.UnpublishPod pod;

    private Write(TrainingJob job, Unpublishing memory, PlannedAction.UnpublishPod pod) {
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
      } else {
        refused(refusal);
      }
      listener.enqueue(job);
      // One refused pod says nothing about the next, and each has its own tries.
      return true;
    }

    private Pod changes() {
      return new PodBuilder()
          .withNewMetadata()
          .withNamespace(job.namespace())
          .withName(pod.name())
          .withUid(pod.uid())
          .withLabels(job.labels().ofUnpublished())
          .endMetadata()
          .build();
    }

    private void refused(String message) {
      boolean last = memory.refused(pod.uid(), clock.instant());
      LOG.warnf(
          "job %s/%s: pod %s could not be taken out of the Service, %s: %s",
          job.namespace(),
          job.name(),
          pod.name(),
          last ? "its replacement is created nevertheless" : "it is tried again",
          message);
      if (last) {
        listener.stillPublished(
            job,
            "pod "
                + pod.name()
                + " was given up with its node and cannot be taken out of the Service "
                + job.names().service()
                + ", so that its replacement and it answer to the same host name until it is gone: "
                + message
                + "; let the operator patch pods, or delete the node if it does not come back");
      }
    }

    @Override
    public void cancelled() {
      memory.cancelled(pod.uid());
    }
  }
}
