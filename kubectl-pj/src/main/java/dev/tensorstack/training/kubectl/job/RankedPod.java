package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pod of a job.
 *
 * @param rank the rank of its node in the job, from 0. Elastic torchrun may give its processes
 *     others
 * @param type the type of its replica, for example {@code worker}
 * @param index the index in the type, from 0
 * @param attempt the attempt that it belongs to, from 0
 * @param current whether it is its replica's latest pod
 * @param pod the whole object
 */
public record RankedPod(int rank, String type, int index, int attempt, boolean current, Tree pod) {

  /**
   * Its replica's name.
   *
   * @return for example {@code worker-1}
   */
  public String replica() {
    return type + "-" + index;
  }

  /**
   * The pod's name.
   *
   * @return the name
   */
  public String name() {
    return Objects.requireNonNullElse(pod.text("metadata", "name"), "");
  }

  /**
   * The pod's uid.
   *
   * @return the uid
   */
  public String uid() {
    return Objects.requireNonNullElse(pod.text("metadata", "uid"), "");
  }

  /**
   * The pod's phase.
   *
   * @return the phase as Kubernetes spells it; {@code Pending} when there is no status
   */
  public String phase() {
    return Objects.requireNonNullElse(pod.text("status", "phase"), "Pending");
  }

  /**
   * What kubectl would show as its status: why it waits or ended rather than its phase.
   *
   * @return one word, such as {@code Running}, {@code ImagePullBackOff}, {@code OOMKilled}
   */
  public String status() {
    if (isDeleting() && !hasEnded()) {
      return "Terminating";
    }
    String podReason = pod.text("status", "reason");
    if (podReason != null) {
      return podReason;
    }
    for (Tree container : containers()) {
      String waiting = container.text("state", "waiting", "reason");
      if (waiting != null) {
        return waiting;
      }
      Integer code = container.number("state", "terminated", "exitCode");
      if (code != null && code != 0) {
        return Objects.requireNonNullElse(container.text("state", "terminated", "reason"), "Error");
      }
    }
    if (node() == null && "Unschedulable".equals(scheduled().text("reason"))) {
      return "Unschedulable";
    }
    return phase();
  }

  /**
   * The node that it runs on.
   *
   * @return the node's name; null while it has none
   */
  public @Nullable String node() {
    return pod.text("spec", "nodeName");
  }

  /**
   * When it was created.
   *
   * @return the moment; null when it is not known
   */
  public @Nullable Instant created() {
    return pod.time("metadata", "creationTimestamp");
  }

  /**
   * Whether it is being deleted.
   *
   * @return whether it has a deletion time
   */
  public boolean isDeleting() {
    return pod.at("metadata", "deletionTimestamp").isPresent();
  }

  /**
   * Whether all its containers have ended for good.
   *
   * @return true in phase Succeeded or Failed
   */
  public boolean hasEnded() {
    return phase().equals("Succeeded") || phase().equals("Failed");
  }

  /**
   * What the scheduler says.
   *
   * @return the condition {@code PodScheduled}; absent when there is none
   */
  public Tree scheduled() {
    for (Tree condition : pod.items("status", "conditions")) {
      if ("PodScheduled".equals(condition.text("type"))) {
        return condition;
      }
    }
    return Tree.of(null);
  }

  /**
   * The states of its containers.
   *
   * @return the statuses, init containers first
   */
  public List<Tree> containers() {
    List<Tree> all = new ArrayList<>(pod.items("status", "initContainerStatuses"));
    all.addAll(pod.items("status", "containerStatuses"));
    return all;
  }

  /**
   * The state of one container.
   *
   * @param name the container's name
   * @return its status; absent when there is none yet
   */
  public Tree container(String name) {
    for (Tree container : containers()) {
      if (name.equals(container.text("name"))) {
        return container;
      }
    }
    return Tree.of(null);
  }

  /**
   * How often its containers were started again in place.
   *
   * @return the sum over its containers, init containers left out
   */
  public int restarts() {
    return pod.items("status", "containerStatuses").stream()
        .mapToInt(container -> container.count("restartCount"))
        .sum();
  }

  /**
   * The container that a user means who names none.
   *
   * @param kind the kind of the job
   * @return that of the annotation {@code kubectl.kubernetes.io/default-container}, else the one
   *     that trains, else the first
   */
  public String defaultContainer(JobKind kind) {
    List<String> names = containerNames();
    Map<String, Tree> annotations = pod.fields("metadata", "annotations");
    Tree annotated = annotations.get("kubectl.kubernetes.io/default-container");
    String chosen = annotated == null ? null : annotated.text();
    if (chosen != null && names.contains(chosen)) {
      return chosen;
    }
    if (names.contains(kind.trainingContainer()) || names.isEmpty()) {
      return kind.trainingContainer();
    }
    return names.get(0);
  }

  /**
   * The names of its containers.
   *
   * @return the names in their order, without init containers
   */
  public List<String> containerNames() {
    return pod.items("spec", "containers").stream()
        .map(container -> Objects.requireNonNullElse(container.text("name"), ""))
        .toList();
  }
}
