package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.naming.JobLabels;
import dev.tensorstack.training.core.naming.Labels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The labels of a {@code PyTorchTrainingJob} (docs/concepts.md, Objects and names).
 *
 * @param name the job's name
 * @param uid the job's uid
 */
public record TrainingJobLabels(String name, String uid) implements JobLabels {

  /** The job's name; the selector that users rely on. */
  public static final String OWNER_NAME = "tensorstack.dev/owner-name";

  /** The replica's type. */
  public static final String REPLICA_TYPE = "replica-type";

  /** The replica's index in its type. */
  public static final String REPLICA_INDEX = "replica-index";

  /** {@link #ROLE_MASTER} on the master, absent elsewhere. */
  public static final String JOB_ROLE = "job-role";

  /** The value of {@link #JOB_ROLE}. */
  public static final String ROLE_MASTER = "master";

  /**
   * The job's uid; the operator's own selector, and the Service's. The value of a pod that was
   * given up with its node is another one ({@link #givenUp}).
   */
  public static final String JOB_UID = "batch.tensorstack.dev/job-uid";

  private static final String GIVEN_UP = ".given-up";

  /** The attempt that a pod belongs to, from 0. */
  public static final String ATTEMPT = "batch.tensorstack.dev/attempt";

  /** The run mode that a pod was made for; absent for plain training. */
  public static final String RUN_MODE = "batch.tensorstack.dev/run-mode";

  /** All labels of the operator's own group belong to it. */
  private static final String GROUP = "batch.tensorstack.dev/";

  /**
   * The value of {@link #JOB_UID} of a pod that was given up with its node: nothing that selects
   * the job's pods by uid finds it, above all not the Service.
   *
   * @param jobUid the job's uid
   * @return a label's value, which no uid is
   */
  public static String givenUp(String jobUid) {
    return jobUid + GIVEN_UP;
  }

  @Override
  public Map<String, String> ofObjects() {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(OWNER_NAME, name);
    labels.put(JOB_UID, uid);
    labels.put(Labels.MANAGED_BY, Labels.OPERATOR);
    return labels;
  }

  @Override
  public Map<String, String> ofPod(PodRole role, boolean master) {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(OWNER_NAME, name);
    labels.put(REPLICA_TYPE, role.type());
    labels.put(REPLICA_INDEX, Integer.toString(role.index()));
    if (master) {
      labels.put(JOB_ROLE, ROLE_MASTER);
    }
    labels.put(JOB_UID, uid);
    labels.put(ATTEMPT, Integer.toString(role.attempt()));
    labels.put(Labels.MANAGED_BY, Labels.OPERATOR);
    if (role.mode() != null) {
      labels.put(RUN_MODE, role.mode());
    }
    return labels;
  }

  @Override
  public @Nullable PodRole roleOf(Map<String, String> labels) {
    String type = labels.get(REPLICA_TYPE);
    Integer index = number(labels.get(REPLICA_INDEX));
    if (type == null || index == null) {
      return null;
    }
    Integer attempt = number(labels.get(ATTEMPT));
    return new PodRole(type, index, attempt == null ? 0 : attempt, labels.get(RUN_MODE), null);
  }

  private static @Nullable Integer number(@Nullable String text) {
    try {
      return text == null ? null : Integer.valueOf(text);
    } catch (NumberFormatException somebodyElses) {
      return null;
    }
  }

  @Override
  public boolean isOperators(String label) {
    return label.startsWith(GROUP)
        || label.equals(OWNER_NAME)
        || label.equals(REPLICA_TYPE)
        || label.equals(REPLICA_INDEX)
        || label.equals(JOB_ROLE)
        || label.equals(Labels.MANAGED_BY);
  }

  @Override
  public Map<String, String> ofPublished() {
    return Map.of(JOB_UID, uid);
  }

  @Override
  public Map<String, String> ofUnpublished() {
    return Map.of(JOB_UID, givenUp(uid));
  }

  @Override
  public Map.Entry<String, List<String>> ofAllPods() {
    return Map.entry(JOB_UID, List.of(uid, givenUp(uid)));
  }
}
