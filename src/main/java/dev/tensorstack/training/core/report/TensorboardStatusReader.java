package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.model.Tensorboard;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TensorboardTrouble;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds out how a job's TensorBoard is. */
final class TensorboardStatusReader {

  /** Nothing is left to do. */
  private static final String NONE = "None";

  /** The object is created or changed next. */
  private static final String CREATE = "Create";

  /** The cluster has to do something. */
  private static final String WAIT = "Wait";

  /** A write was refused, and is tried again. */
  private static final String RETRY = "Retry";

  /** The scheduler's words. */
  private static final Pattern MISSING_CLAIM =
      Pattern.compile("persistentvolumeclaim \"([^\"]+)\" not found");

  private static final int LONGEST_NOTE = 1000;

  private final TrainingJob job;
  private final String name;
  private final @Nullable GenericKubernetesResource deployment;
  private final @Nullable TensorboardTrouble trouble;

  private TensorboardStatusReader(TrainingJob job, ObservedDependents dependents) {
    this.job = job;
    this.name = job.names().tensorboard();
    this.deployment = dependents.find(ObjectKind.DEPLOYMENT, name);
    this.trouble = dependents.tensorboardTrouble();
  }

  /**
   * The state of a job's TensorBoard.
   *
   * @param job the job
   * @param dependents what is seen of its Deployment and Service
   * @param refused what was refused of what is wanted
   * @return the state; null when the job asks for no TensorBoard
   */
  static @Nullable TensorboardReport of(
      TrainingJob job, ObservedDependents dependents, RefusedWrites refused) {
    Tensorboard tensorboard = job.spec().tensorboard();
    if (tensorboard == null) {
      return null;
    }
    TensorboardStatusReader look = new TensorboardStatusReader(job, dependents);
    for (ObjectKind kind : List.of(ObjectKind.DEPLOYMENT, ObjectKind.SERVICE)) {
      WriteFailure failure = refused.get(ObjectWrite.of(kind, look.name));
      if (failure != null) {
        return look.refused(failure);
      }
    }
    if (dependents.find(ObjectKind.SERVICE, look.name) == null) {
      return look.normal("Creating", CREATE, "Its Deployment and its Service are being created.");
    }
    return look.present(tensorboard.suspend());
  }

  private TensorboardReport refused(WriteFailure failure) {
    String reason =
        switch (failure.kind()) {
          case NAME_TAKEN -> "NameTaken";
          case QUOTA -> "QuotaExceeded";
          case INVALID -> "InvalidSpec";
          case FORBIDDEN -> "Forbidden";
          case TRANSIENT, NAME_ENDING -> "WriteFailed";
        };
    return warning(reason, RETRY, failure.describe());
  }

  private TensorboardReport present(boolean suspended) {
    if (deployment == null || deployment.getMetadata().getDeletionTimestamp() != null) {
      return normal("Creating", CREATE, "Its Deployment is being created.");
    }
    long replicas = number("spec", "replicas", 1);
    if (suspended != (replicas == 0)) {
      return normal(
          suspended ? "Suspending" : "Starting", WAIT, "Its Deployment is being changed.");
    }
    boolean seen =
        number("status", "observedGeneration", 0)
            >= requireGeneration(deployment.getMetadata().getGeneration());
    if (suspended) {
      return seen && number("status", "replicas", 0) == 0
          ? normal(
              "Suspended",
              NONE,
              "It is stopped; set spec.tensorboardSpec.suspend to false to start it again.")
          : normal("Suspending", WAIT, "Its pod is being stopped.");
    }
    if (seen && number("status", "readyReplicas", 0) > 0) {
      return state(
          true,
          "Ready",
          NONE,
          "It serves at http://%s.%s.svc:%d; from outside: kubectl port-forward -n %s service/%s %d"
              .formatted(
                  name,
                  job.namespace(),
                  Ports.TENSORBOARD,
                  job.namespace(),
                  name,
                  Ports.TENSORBOARD),
          false);
    }
    return notReady();
  }

  /** Why there is no ready pod: the Deployment, and its pod where that was asked. */
  private TensorboardReport notReady() {
    String refused = condition("ReplicaFailure", "True");
    if (refused != null) {
      return warning(
          refused.contains("exceeded quota") ? "QuotaExceeded" : "PodRefused", WAIT, refused);
    }
    if (trouble != null) {
      return inTrouble(trouble);
    }
    String late = condition("Progressing", "False");
    if (late != null) {
      return warning("NotReady", WAIT, late + seePods());
    }
    return normal("Starting", WAIT, "Its pod is not ready yet.");
  }

  private TensorboardReport inTrouble(TensorboardTrouble pod) {
    if (pod.reason().equals(TensorboardTrouble.UNSCHEDULABLE)) {
      Matcher claim = MISSING_CLAIM.matcher(pod.message());
      return warning(
          Reasons.UNSCHEDULABLE,
          WAIT,
          "No node can take its pod: "
              + sentence(pod.message())
              + (claim.find()
                  ? " Create the PersistentVolumeClaim "
                      + claim.group(1)
                      + ", or name another one in spec.tensorboardSpec."
                  : ""));
    }
    return PendingReason.IMAGE_REASONS.contains(pod.reason())
        ? warning(
            Reasons.IMAGE_PULL_FAILED,
            WAIT,
            "In its pod, " + sentence(pod.message()) + " The image is spec.tensorboardSpec.image.")
        : warning("NotReady", WAIT, "In its pod, " + sentence(pod.message()) + seePods());
  }

  private static String sentence(String words) {
    return words.endsWith(".") ? words : words + ".";
  }

  private String seePods() {
    return " See kubectl describe pods -n "
        + job.namespace()
        + " -l "
        + Labels.INSTANCE
        + "="
        + job.names().instance();
  }

  /** The message of a condition, null when it does not have that status. */
  private @Nullable String condition(String type, String status) {
    if (deployment != null
        && deployment.get("status", "conditions") instanceof List<?> conditions) {
      for (Object entry : conditions) {
        if (entry instanceof Map<?, ?> condition
            && type.equals(condition.get("type"))
            && status.equals(condition.get("status"))) {
          return String.valueOf(condition.get("message"));
        }
      }
    }
    return null;
  }

  private long number(String block, String field, long otherwise) {
    return deployment != null && deployment.get(block, field) instanceof Number number
        ? number.longValue()
        : otherwise;
  }

  private static long requireGeneration(@Nullable Long generation) {
    return generation == null ? 0 : generation;
  }

  private TensorboardReport normal(String reason, String action, String note) {
    return state(false, reason, action, note, false);
  }

  private TensorboardReport warning(String reason, String action, String note) {
    return state(false, reason, action, note, true);
  }

  private TensorboardReport state(
      boolean ready, String reason, String action, String note, boolean warning) {
    return new TensorboardReport(
        name,
        deployment == null ? null : deployment.getMetadata().getUid(),
        ready,
        reason,
        action,
        note.length() > LONGEST_NOTE ? note.substring(0, LONGEST_NOTE) + "…" : note,
        warning);
  }
}
