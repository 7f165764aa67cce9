package dev.tensorstack.training.engine;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.dependents.ServiceFactory;
import dev.tensorstack.training.core.naming.JobLabels;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.pod.PodFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Carries out planned actions: without waiting, bounded, and fair between jobs. */
final class ActionExecutor {

  private static final Logger LOG = Logger.getLogger(ActionExecutor.class);

  private final KubernetesClient client;
  private final FairWriteQueue queue;
  private final Clock clock;
  private final WriteListener listener;
  private final Predicate<TrainingJob> exists;

  /** Is told about answered writes. */
  interface WriteListener {
    /** A pod was created. */
    void podCreated(Pod pod);

    /** A pod that was to be created exists already, and is the job's. */
    void podFound(Pod pod);

    /** A pod's deletion was accepted. */
    void podDeleted();

    /** Something changed that no watch will tell: look at the job again. */
    void enqueue(TrainingJob job);
  }

  /**
   * An executor.
   *
   * @param exists whether a job is still there and stays: asked right before each write, because no
   *     reconciliation tells of a job that is gone
   */
  ActionExecutor(
      KubernetesClient client,
      FairWriteQueue queue,
      Clock clock,
      WriteListener listener,
      Predicate<TrainingJob> exists) {
    this.client = client;
    this.queue = queue;
    this.clock = clock;
    this.listener = listener;
    this.exists = exists;
  }

  /** Whether actions would create a pod of which the queue does not know yet. */
  static boolean wouldCreatePod(JobMemory memory, List<PlannedAction> actions) {
    return actions.stream()
        .anyMatch(
            action ->
                action instanceof PlannedAction.CreatePod pod && !memory.expectations().knows(pod));
  }

  /** Whether actions would write something of which the queue does not know yet. */
  static boolean wouldBegin(TrainingJob job, JobMemory memory, List<PlannedAction> actions) {
    for (PlannedAction action : actions) {
      boolean begins =
          (action instanceof PlannedAction.DeleteDependent deletion
                  && !memory.dependents().isDeleting(deletion.write(job), deletion.uid()))
              || (action instanceof PlannedAction.ApplyDependent apply
                  && !memory.dependents().isWriting(apply.write(job)))
              || (action instanceof PlannedAction.WriteStatus status
                  && !memory.dependents().isWriting(status.write(job)))
              || (action instanceof PlannedAction.WakeGang wake
                  && !memory.dependents().isWriting(wake.write(job)))
              || (action instanceof PlannedAction.CreateService service
                  && !memory.expectations().knows(service))
              || (action instanceof PlannedAction.UnpublishPod pod
                  && !memory.unpublishing().isBegun(pod.uid()))
              || (action instanceof PlannedAction.EndPod pod && !memory.ends().isBegun(pod.uid()))
              || (action instanceof PlannedAction.CreatePod pod
                  && !memory.expectations().knows(pod))
              || (action instanceof PlannedAction.DeletePod pod
                  && !memory.expectations().isDeleting(pod))
              || (action instanceof PlannedAction.DeleteJob deletion
                  && !memory.expectations().isDeleting(deletion.uid()));
      if (begins) {
        return true;
      }
    }
    return false;
  }

  /**
   * Calls back what waits in the queue and is not wanted any more. Once it returns, nothing begins
   * but what is wanted.
   *
   * @param wanted all that the newest plan wants
   * @return false when something has begun since the look that is not wanted: the plan knows
   *     nothing of it, and has to be made anew
   */
  boolean cancelUnwanted(TrainingJob job, JobMemory memory, List<PlannedAction> wanted) {
    Set<PlannedAction> creations = new HashSet<>();
    for (PlannedAction action : wanted) {
      if (action instanceof PlannedAction.CreatePod
          || action instanceof PlannedAction.CreateService) {
        creations.add(action);
      }
    }
    queue.retain(
        job.uid(),
        write -> !(write instanceof Creation creation) || creations.contains(creation.action()));
    return creations.containsAll(memory.expectations().begun());
  }

  /** Calls back all that waits: the job is being deleted, and Kubernetes collects what it owns. */
  void cancelAll(TrainingJob job) {
    queue.retain(job.uid(), any -> false);
  }

  /**
   * Hands all actions to the queue and returns at once. Deletions go first, and once handed over
   * the memory takes them for sent; creations take the place of those of an earlier plan.
   *
   * @param factories makes the factory of the job's pods; only asked when a pod is to be created
   */
  void execute(
      TrainingJob job,
      JobMemory memory,
      List<PlannedAction> actions,
      Supplier<PodFactory> factories) {
    List<FairWriteQueue.Write> deletions = new ArrayList<>();
    List<FairWriteQueue.Write> creations = new ArrayList<>(actions.size());
    PodFactory factory = null;
    for (PlannedAction action : withTheHopelessLast(job, memory.refusals().known(), actions)) {
      if (action instanceof PlannedAction.CreateService service) {
        creations.add(new ServiceCreation(job, memory, service));
      } else if (action instanceof PlannedAction.CreatePod create) {
        factory = factory == null ? factories.get() : factory;
        creations.add(new PodCreation(job, memory, create, factory));
      } else if (action instanceof PlannedAction.DeletePod delete
          && memory.expectations().deleting(delete.uid(), delete.name(), delete.atOnce())) {
        memory.refusals().sent(delete.write(job));
        deletions.add(new PodDeletion(job, memory, delete));
      } else if (action instanceof PlannedAction.DeleteJob delete
          && memory.expectations().deleting(delete.uid(), job.name(), false)) {
        memory.refusals().sent(delete.write(job));
        deletions.add(new JobDeletion(job, memory, delete));
      }
    }
    queue.submitFirst(
        job.uid(), deletions, memory.refusals().isRefused(ObjectWrite.podDeletion("")));
    queue.replace(job.uid(), creations, memory.refusals().isRefused(ObjectWrite.pod("")));
  }

  /**
   * A pod of which the deletion is refused, or the name taken, may stay so for ever; a line of
   * writes begins anew after each refusal, and those behind it would never have their turn.
   */
  private static List<PlannedAction> withTheHopelessLast(
      TrainingJob job, RefusedWrites refused, List<PlannedAction> actions) {
    if (refused.isEmpty()) {
      return actions;
    }
    List<PlannedAction> ordered = new ArrayList<>(actions.size());
    List<PlannedAction> last = new ArrayList<>();
    for (PlannedAction action : actions) {
      ObjectWrite write = action.write(job);
      WriteFailure failure = write == null ? null : refused.get(write);
      boolean hopeless =
          failure != null
              && (failure.kind() == WriteFailure.Kind.NAME_TAKEN
                  || failure.write().verb() == ObjectWrite.Verb.DELETE);
      (hopeless ? last : ordered).add(action);
    }
    ordered.addAll(last);
    return ordered;
  }

  /** A creation that can be called back. */
  private interface Creation extends FairWriteQueue.Write {
    /** What was planned. */
    PlannedAction action();
  }

  private final class ServiceCreation implements Creation {
    private final TrainingJob job;
    private final JobMemory memory;
    private final PlannedAction.CreateService action;

    private ServiceCreation(TrainingJob job, JobMemory memory, PlannedAction.CreateService action) {
      this.job = job;
      this.memory = memory;
      this.action = action;
    }

    @Override
    public PlannedAction action() {
      return action;
    }

    @Override
    public boolean enters() {
      return memory.expectations().queued(action);
    }

    @Override
    public void begins() {
      memory.expectations().creating(action);
      memory.refusals().sent(action.write(job));
    }

    @Override
    public boolean run() {
      boolean accepted = false;
      try {
        accepted =
            exists.test(job)
                && create(
                    job,
                    memory,
                    action.write(job),
                    () -> client.resource(service()).create(),
                    () ->
                        client
                            .services()
                            .inNamespace(job.namespace())
                            .withName(action.name())
                            .get(),
                    created -> {},
                    found -> {});
      } finally {
        memory.expectations().answered(action, accepted);
      }
      // One refused Service says nothing about pods.
      return true;
    }

    @Override
    public void cancelled() {
      memory.expectations().calledBack(action);
    }

    private Service service() {
      return action.replica() == null
          ? ServiceFactory.service(job)
          : ServiceFactory.ofReplica(job, action.replica());
    }
  }

  private final class PodCreation implements Creation {
    private final TrainingJob job;
    private final JobMemory memory;
    private final PlannedAction.CreatePod action;
    private final PodFactory factory;

    private PodCreation(
        TrainingJob job, JobMemory memory, PlannedAction.CreatePod action, PodFactory factory) {
      this.job = job;
      this.memory = memory;
      this.action = action;
      this.factory = factory;
    }

    @Override
    public PlannedAction action() {
      return action;
    }

    @Override
    public boolean enters() {
      return memory.expectations().queued(action);
    }

    @Override
    public void begins() {
      memory.expectations().creating(action);
      memory.refusals().sent(action.write(job));
    }

    @Override
    public boolean run() {
      boolean accepted = false;
      try {
        accepted =
            exists.test(job)
                && create(
                    job,
                    memory,
                    action.write(job),
                    () -> client.resource(pod()).create(),
                    this::existing,
                    created -> answered(created, listener::podCreated),
                    found -> answered(found, listener::podFound));
      } finally {
        if (accepted) {
          memory
              .creations()
              .created(job.podOfReplica(action.name(), action.earlierPods()), clock.instant());
        } else {
          memory.expectations().notCreated(action.name());
        }
        // The cache has the answer before the watch does, and then passes the watch's event over.
        if (!memory.expectations().isCreating()) {
          listener.enqueue(job);
        }
      }
      return accepted;
    }

    private void answered(Pod pod, Consumer<Pod> told) {
      // The cache first: a look in between must find the pod in one of the two.
      told.accept(pod);
      memory.expectations().created(action.name(), pod.getMetadata().getUid());
    }

    /** Not the pod of before, which has the same name and is still there: that one goes first. */
    private @Nullable Pod existing() {
      Pod found = client.pods().inNamespace(job.namespace()).withName(action.name()).get();
      if (found == null || !job.spec().traits().reusesPodNames()) {
        return found;
      }
      JobLabels.PodRole role =
          job.labels().roleOf(requireNonNullElse(found.getMetadata().getLabels(), Map.of()));
      Integer earlierPods = role == null ? null : role.earlierPods();
      return earlierPods == null || earlierPods == action.earlierPods() ? found : null;
    }

    private Pod pod() {
      return factory.pod(action.replica(), action.earlierPods(), action.attempt(), action.mode());
    }

    @Override
    public void cancelled() {
      memory.expectations().cancelled(action.name());
    }
  }

  private final class PodDeletion implements FairWriteQueue.Write {
    private final TrainingJob job;
    private final JobMemory memory;
    private final PlannedAction.DeletePod action;

    private PodDeletion(TrainingJob job, JobMemory memory, PlannedAction.DeletePod action) {
      this.job = job;
      this.memory = memory;
      this.action = action;
    }

    @Override
    public boolean run() {
      // What a job leaves behind that is deleted is not the operator's: its user may want to keep
      // it.
      return exists.test(job)
          && delete(
              job,
              memory,
              action.write(job),
              action.uid(),
              () -> {
                if (Deletion.send(
                    client,
                    "v1",
                    job.namespace(),
                    "pods",
                    action.name(),
                    action.uid(),
                    action.atOnce())) {
                  listener.podDeleted();
                }
              });
    }

    @Override
    public void cancelled() {
      memory.expectations().notDeleted(action.uid());
      memory.refusals().cancelled(action.write(job));
    }
  }

  /** The end of a job's time to live; what it owns is collected after it. */
  private final class JobDeletion implements FairWriteQueue.Write {
    private final TrainingJob job;
    private final JobMemory memory;
    private final PlannedAction.DeleteJob action;

    private JobDeletion(TrainingJob job, JobMemory memory, PlannedAction.DeleteJob action) {
      this.job = job;
      this.memory = memory;
      this.action = action;
    }

    @Override
    public boolean run() {
      return delete(
          job,
          memory,
          action.write(job),
          job.uid(),
          () ->
              Deletion.send(
                  client,
                  job.kind().apiVersion(),
                  job.namespace(),
                  job.kind().plural(),
                  job.name(),
                  job.uid(),
                  false));
    }

    @Override
    public void cancelled() {
      memory.expectations().notDeleted(job.uid());
      memory.refusals().cancelled(action.write(job));
    }
  }

  /** Deletes an object; one that is gone, or has a namesake by now, counts as deleted. */
  private boolean delete(
      TrainingJob job, JobMemory memory, ObjectWrite write, String uid, Runnable deletion) {
    try {
      deletion.run();
      memory.refusals().accepted(write, clock.instant());
      return true;
    } catch (KubernetesClientException refusal) {
      memory.expectations().notDeleted(uid);
      refused(job, memory, write, refusal);
    } catch (RuntimeException mistake) {
      LOG.errorf(mistake, "%s of job %s/%s cannot be made", write, job.namespace(), job.name());
      memory.expectations().notDeleted(uid);
      refused(job, memory, write, WriteFailure.Kind.INVALID, String.valueOf(mistake.getMessage()));
    }
    return false;
  }

  private interface Call<T> {
    T make();
  }

  private interface LookUp<T> {
    /** Null when the object is not there. */
    @Nullable T make();
  }

  /** Creates an object; one that exists already and is the job's counts as created. */
  private <T extends HasMetadata> boolean create(
      TrainingJob job,
      JobMemory memory,
      ObjectWrite write,
      Call<T> creation,
      LookUp<T> lookUp,
      Consumer<T> created,
      Consumer<T> found) {
    try {
      try {
        created.accept(creation.make());
      } catch (KubernetesClientException refusal) {
        found.accept(existing(job, refusal, lookUp));
      }
      memory.refusals().accepted(write, clock.instant());
      return true;
    } catch (KubernetesClientException refusal) {
      refused(job, memory, write, refusal);
    } catch (NameTakenException taken) {
      refused(job, memory, write, taken.kind(), taken.words());
    } catch (RuntimeException mistake) {
      LOG.errorf(mistake, "%s of job %s/%s cannot be made", write, job.namespace(), job.name());
      refused(job, memory, write, WriteFailure.Kind.INVALID, String.valueOf(mistake.getMessage()));
    }
    return false;
  }

  /** The job's object that was in the way of a creation; throws when that is not what it was. */
  private static <T extends HasMetadata> T existing(
      TrainingJob job, KubernetesClientException refusal, LookUp<T> lookUp) {
    T existing = refusal.getCode() == HttpURLConnection.HTTP_CONFLICT ? lookUp.make() : null;
    if (existing == null) {
      throw refusal;
    }
    if (!OwnedBy.isOwnedBy(existing, job)) {
      throw new NameTakenException(existing, job);
    }
    return existing;
  }

  private void refused(
      TrainingJob job, JobMemory memory, ObjectWrite write, KubernetesClientException refusal) {
    refused(job, memory, write, Refusals.kind(refusal), Refusals.message(refusal));
  }

  private void refused(
      TrainingJob job,
      JobMemory memory,
      ObjectWrite write,
      WriteFailure.Kind kind,
      String message) {
    memory.refusals().refused(write, kind, message, clock.instant());
    LOG.logf(
        kind == WriteFailure.Kind.NAME_ENDING ? Logger.Level.DEBUG : Logger.Level.WARN,
        "job %s/%s: %s was refused, it is tried again: %s",
        job.namespace(),
        job.name(),
        write,
        message);
    listener.enqueue(job);
  }
}
