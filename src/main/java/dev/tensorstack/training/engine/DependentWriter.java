package dev.tensorstack.training.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.PlannedAction;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Writes the objects beside a job's pods. One that is refused keeps no pod from being written: they
 * go through a lane of their own.
 */
final class DependentWriter {

  private static final Logger LOG = Logger.getLogger(DependentWriter.class);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final FairWriteQueue queue;
  private final Clock clock;
  private final Listener listener;
  private final Predicate<TrainingJob> exists;

  /** Is told about answered writes. */
  interface Listener {
    /** An object was written. */
    void written(ObjectKind kind, GenericKubernetesResource answer);

    /** Something changed that no watch will tell: look at the job again. */
    void enqueue(TrainingJob job);
  }

  /**
   * A writer.
   *
   * @param exists whether a job is still there and stays: asked right before each write
   */
  DependentWriter(
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
        lane(job), write -> write instanceof Write waiting && wanted.contains(waiting.action));
  }

  private static String lane(TrainingJob job) {
    return job.uid() + "/beside";
  }

  /** Hands the writes to the queue and returns at once. */
  void execute(TrainingJob job, DependentMemory memory, List<PlannedAction> actions) {
    List<FairWriteQueue.Write> writes = new ArrayList<>();
    for (PlannedAction action : actions) {
      if (action instanceof PlannedAction.ApplyDependent apply) {
        ObjectWrite write = apply.write(job);
        if (memory.begin(write)) {
          writes.add(new Write(job, memory, write, apply, () -> apply(job, apply)));
        }
      } else if (action instanceof PlannedAction.WriteStatus status) {
        ObjectWrite write = status.write(job);
        if (memory.begin(write)) {
          writes.add(new Write(job, memory, write, status, () -> writeStatus(job, status)));
        }
      } else if (action instanceof PlannedAction.WakeGang wake) {
        ObjectWrite write = wake.write(job);
        if (memory.begin(write)) {
          writes.add(new Write(job, memory, write, wake, () -> wake(job, wake)));
        }
      } else if (action instanceof PlannedAction.DeleteDependent delete) {
        ObjectWrite write = delete.write(job);
        if (!memory.isDeleting(write, delete.uid()) && memory.begin(write)) {
          writes.add(
              new Write(job, memory, write, delete, () -> delete(job, memory, write, delete)));
        }
      }
    }
    queue.submit(lane(job), writes, true);
  }

  private interface Call {
    /** Makes the write; the object's version afterwards, null when it is gone. */
    @Nullable String make();
  }

  private final class Write implements FairWriteQueue.Write {
    private final TrainingJob job;
    private final DependentMemory memory;
    private final ObjectWrite write;
    private final PlannedAction action;
    private final Call call;

    private Write(
        TrainingJob job,
        DependentMemory memory,
        ObjectWrite write,
        PlannedAction action,
        Call call) {
      this.job = job;
      this.memory = memory;
      this.write = write;
      this.action = action;
      this.call = call;
    }

    @Override
    public boolean run() {
      if (!exists.test(job)) {
        memory.cancelled(write);
        return true;
      }
      try {
        memory.accepted(write, call.make(), clock.instant());
      } catch (KubernetesClientException refusal) {
        refused(Refusals.kind(refusal), Refusals.message(refusal));
      } catch (NameTakenException taken) {
        refused(taken.kind(), taken.words());
      } catch (RuntimeException mistake) {
        LOG.errorf(mistake, "%s of job %s/%s cannot be made", write, job.namespace(), job.name());
        refused(WriteFailure.Kind.INVALID, String.valueOf(mistake.getMessage()));
      }
      listener.enqueue(job);
      // One refused object says nothing about the next, which is of another kind.
      return true;
    }

    private void refused(WriteFailure.Kind kind, String message) {
      memory.refused(write, kind, message, clock.instant());
      LOG.warnf(
          "job %s/%s: %s was refused, it is tried again: %s",
          job.namespace(), job.name(), write, message);
    }

    @Override
    public void cancelled() {
      memory.cancelled(write);
    }
  }

  private Resource<GenericKubernetesResource> resource(
      TrainingJob job, ObjectKind kind, GenericKubernetesResource object) {
    return client
        .genericKubernetesResources(context(kind))
        .inNamespace(job.namespace())
        .resource(object);
  }

  private static ResourceDefinitionContext context(ObjectKind kind) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(kind.group())
        .withVersion(kind.version())
        .withKind(kind.kind())
        .withPlural(kind.plural())
        .withNamespaced(true)
        .build();
  }

  /**
   * Server-side apply would change a stranger's object of that name. So it is looked for before a
   * creation; a change carries the uid, and is refused when the object is another by now.
   */
  private @Nullable String apply(TrainingJob job, PlannedAction.ApplyDependent action) {
    Resource<GenericKubernetesResource> resource = resource(job, action.kind(), action.object());
    boolean isChange = action.object().getMetadata().getUid() != null;
    if (!isChange) {
      leaveStrangersAlone(job, resource);
    }
    try {
      GenericKubernetesResource answer =
          resource.fieldManager(Labels.OPERATOR).forceConflicts().serverSideApply();
      listener.written(action.kind(), answer);
      return answer.getMetadata().getResourceVersion();
    } catch (KubernetesClientException refusal) {
      if (isChange) {
        // The refusal of another uid names that field among others; the true cause is the name.
        leaveStrangersAlone(job, resource);
      }
      throw refusal;
    }
  }

  /** An object to be patched: by its name alone, the client would read it before. */
  private static GenericKubernetesResource named(ObjectKind kind, String name) {
    GenericKubernetesResource object = new GenericKubernetesResource();
    object.setApiVersion(kind.apiVersion());
    object.setKind(kind.kind());
    object.setMetadata(new ObjectMetaBuilder().withName(name).build());
    return object;
  }

  /** Another version of the object, or a namesake, is refused as a conflict. */
  private @Nullable String writeStatus(TrainingJob job, PlannedAction.WriteStatus action) {
    Map<String, Object> metadata =
        Map.of("uid", action.uid(), "resourceVersion", action.resourceVersion());
    String patch = json(Map.of("metadata", metadata, "status", action.status()));
    GenericKubernetesResource answer =
        resource(job, action.kind(), named(action.kind(), action.name()))
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    listener.written(action.kind(), answer);
    return answer.getMetadata().getResourceVersion();
  }

  /** A namesake is refused as a conflict. */
  private @Nullable String wake(TrainingJob job, PlannedAction.WakeGang action) {
    Map<String, Object> metadata =
        Map.of("uid", action.uid(), "annotations", Map.of(Labels.WOKEN, action.at().toString()));
    GenericKubernetesResource answer =
        resource(job, action.kind(), named(action.kind(), action.name()))
            .patch(PatchContext.of(PatchType.JSON_MERGE), json(Map.of("metadata", metadata)));
    listener.written(action.kind(), answer);
    return answer.getMetadata().getResourceVersion();
  }

  /** The client's own mapper leaves out nulls, which here say that a field is to go. */
  private static String json(Map<String, Object> patch) {
    try {
      return JSON.writeValueAsString(patch);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("maps of plain values", impossible);
    }
  }

  private static void leaveStrangersAlone(
      TrainingJob job, Resource<GenericKubernetesResource> resource) {
    GenericKubernetesResource present = resource.get();
    if (present != null && !OwnedBy.isOwnedBy(present, job)) {
      throw new NameTakenException(present, job);
    }
  }

  private @Nullable String delete(
      TrainingJob job,
      DependentMemory memory,
      ObjectWrite write,
      PlannedAction.DeleteDependent action) {
    ObjectKind kind = action.kind();
    boolean goes =
        Deletion.send(
            client,
            kind.apiVersion(),
            job.namespace(),
            kind.plural(),
            action.name(),
            action.uid(),
            false);
    if (goes) {
      memory.deleted(write, action.uid());
    }
    return null;
  }
}
