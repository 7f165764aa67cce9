package dev.tensorstack.training.kind.pytorchjob;

import dev.tensorstack.training.core.naming.JobLabels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The labels of what belongs to one PyTorchJob. Those of Kubeflow's operator are kept to the
 * letter: its Python client, Services and dashboards select by them. What this operator has to know
 * of a pod beside them stands in labels of its own; a pod that Kubeflow's operator has made has
 * none of these, and is the first pod of the first attempt.
 *
 * @param job the job's name
 */
public record PyTorchJobLabels(String job) implements JobLabels {

  /** Which operator a pod belongs to. */
  public static final String OPERATOR_NAME = "training.kubeflow.org/operator-name";

  /** The job's name. */
  public static final String JOB_NAME = "training.kubeflow.org/job-name";

  /** {@code master} or {@code worker}. */
  public static final String REPLICA_TYPE = "training.kubeflow.org/replica-type";

  /** The index in the type, from 0. */
  public static final String REPLICA_INDEX = "training.kubeflow.org/replica-index";

  /** {@code master} on the pod of rank 0, absent on others. */
  public static final String JOB_ROLE = "training.kubeflow.org/job-role";

  /** The attempt that a pod belongs to, from 0. */
  public static final String ATTEMPT = "batch.tensorstack.dev/attempt";

  /** How many pods the replica had before this one, which had the same name. */
  public static final String EARLIER_PODS = "batch.tensorstack.dev/earlier-pods";

  private static final String GROUP = "batch.tensorstack.dev/";
  private static final String OPERATOR = "pytorchjob-controller";
  private static final String GIVEN_UP = OPERATOR + "-given-up";
  private static final String MASTER = "master";

  private static final Set<String> KUBEFLOWS =
      Set.of(OPERATOR_NAME, JOB_NAME, REPLICA_TYPE, REPLICA_INDEX, JOB_ROLE);

  /** Selects what belongs to any PyTorchJob, pods that were given up with their node too. */
  public static final String WATCHED = OPERATOR_NAME + " in (" + OPERATOR + "," + GIVEN_UP + ")";

  @Override
  public Map<String, String> ofObjects() {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(OPERATOR_NAME, OPERATOR);
    labels.put(JOB_NAME, job);
    return labels;
  }

  @Override
  public Map<String, String> ofPod(PodRole role, boolean master) {
    Map<String, String> labels = ofReplica(role.type(), role.index());
    if (master) {
      labels.put(JOB_ROLE, MASTER);
    }
    labels.put(ATTEMPT, Integer.toString(role.attempt()));
    labels.put(EARLIER_PODS, Integer.toString(role.earlierPods() == null ? 0 : role.earlierPods()));
    return labels;
  }

  @Override
  public @Nullable PodRole roleOf(Map<String, String> labels) {
    String type = labels.get(REPLICA_TYPE);
    Integer index = number(labels.get(REPLICA_INDEX));
    if (type == null || index == null) {
      return null;
    }
    return new PodRole(
        type, index, orZero(labels.get(ATTEMPT)), null, orZero(labels.get(EARLIER_PODS)));
  }

  private static int orZero(@Nullable String text) {
    Integer number = number(text);
    return number == null ? 0 : number;
  }

  private static @Nullable Integer number(@Nullable String text) {
    return text != null && text.matches("\\d{1,9}") ? Integer.valueOf(text) : null;
  }

  @Override
  public boolean isOperators(String label) {
    return label.startsWith(GROUP) || KUBEFLOWS.contains(label);
  }

  @Override
  public Map<String, String> ofPublished() {
    return ofObjects();
  }

  @Override
  public Map<String, String> ofReplica(String type, int index) {
    Map<String, String> labels = new LinkedHashMap<>(ofObjects());
    labels.put(REPLICA_TYPE, type);
    labels.put(REPLICA_INDEX, Integer.toString(index));
    return labels;
  }

  @Override
  public Map<String, String> ofUnpublished() {
    return Map.of(OPERATOR_NAME, GIVEN_UP);
  }

  @Override
  public Map.Entry<String, List<String>> ofAllPods() {
    return Map.entry(JOB_NAME, List.of(job));
  }
}
